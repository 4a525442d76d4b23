#include "report/failure_json.h"

#include "report/json_write.h"

void report_failure_json(struct buffer *out, const char *command, const char *message,
                         int exit_code)
{
    struct arena arena = {0};
    json_t *root = json_pack("{s:i,s:s}", "tare", 1, "kind", "failure");
    json_object_set_new(root, "command", json_write_text(&arena, command));
    json_object_set_new(root, "exit", json_integer(exit_code));
    json_object_set_new(root, "message", json_write_text(&arena, message));
    json_write_dump(out, root);
    arena_free(&arena);
}
