#include "client/client.h"
#include <stdio.h>
int client_alone_main(struct client *client, int argc, char **argv)
{
    (void)argc; (void)argv;
    struct arena arena = {0};
    if (client->error.status != TARE_OK) { fprintf(stderr, "%s\n", client->error.message); return 2; }
    client->calibration = client_calibrate(client);
    for (ptrdiff_t i = 0; i < client->case_count; i++) {
        struct buffer b = buffer_new(&arena, 4096);
        client_case_label(&client->cases[i], &b);
        struct client_opened o = client_open(client, i);
        if (o.outcome != CLIENT_OUTCOME_OK || o.check == CLIENT_CHECK_FAILED) { printf("%s: %s\n", buffer_string(&b), o.text); continue; }
        struct client_slice slice;
        if (client_slice_run(client->states[i], 100000, CLIENT_COUNT_TIME, &slice)) printf("%s %g ns%s\n", buffer_string(&b), slice.time_ns / 100000, slice.is_deleted ? " deleted" : "");
        else printf("%s failed %s\n", buffer_string(&b), client->states[i]->reason);
        client_close(client, i);
    }
    client_end(client);
    return 0;
}
