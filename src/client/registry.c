/* registry.c: what was registered before main, described and expanded into cases.
 *
 * The header's macros register from constructors, so the list is a global; it is only read after
 * main began. Order: files as the linker ran their constructors, within a file by line, so that the
 * table follows the source. */
#include "client/client.h"

#include "base/text.h"

#include <string.h>

/* The one global: constructors have nowhere else to leave what they register. */
static struct tare_registration *registered;

static bool is_before(const struct tare_registration *a, const struct tare_registration *b)
{
    return strcmp(a->file, b->file) == 0 && a->line < b->line;
}

void tare_register(struct tare_registration *registration)
{
    struct tare_registration **place = &registered;
    while (*place != NULL && !is_before(registration, *place)) {
        place = &(*place)->next;
    }
    registration->next = *place;
    *place = registration;
}

static void add_benchmarks(struct client *client);
static void add_variants(struct client *client);
static void describe_all(struct client *client);
static void check_names(struct client *client);
static void add_cases(struct client *client);

void client_registry_load(struct client *client)
{
    add_benchmarks(client);
    add_variants(client);
    describe_all(client);
    check_names(client);
    if (client->error.status == TARE_OK) {
        add_cases(client);
        client->states = ARENA_ARRAY(client->arena, struct tare_state *, client->case_count);
    }
}

static struct client_variant *add_variant(struct client *client, struct client_benchmark *benchmark)
{
    benchmark->variants =
        arena_grow(client->arena, benchmark->variants, &benchmark->variant_capacity,
                   benchmark->variant_count + 1, (ptrdiff_t)sizeof *benchmark->variants);
    return &benchmark->variants[benchmark->variant_count++];
}

static void add_benchmarks(struct client *client)
{
    for (struct tare_registration *r = registered; r != NULL; r = r->next) {
        if (r->kind != TARE_IS_BENCHMARK) {
            continue;
        }
        client->benchmarks =
            arena_grow(client->arena, client->benchmarks, &client->benchmark_capacity,
                       client->benchmark_count + 1, (ptrdiff_t)sizeof *client->benchmarks);
        struct client_benchmark *benchmark = &client->benchmarks[client->benchmark_count++];
        *benchmark = (struct client_benchmark){
            .registration = r, .name = r->name, .reference_name = "reference"};
        *add_variant(client, benchmark) =
            (struct client_variant){.name = "", .body = r->body, .is_reference = true};
    }
}

/* The benchmark that a description or a variant belongs to. The header makes a missing one a
 * compile error, so NULL means a registration made by hand. */
static struct client_benchmark *find_owner(struct client *client, const struct tare_registration *r)
{
    for (ptrdiff_t i = 0; i < client->benchmark_count; i++) {
        const struct tare_registration *owner = client->benchmarks[i].registration;
        if (strcmp(owner->file, r->file) == 0 && strcmp(owner->identifier, r->identifier) == 0) {
            return &client->benchmarks[i];
        }
    }
    error_set(&client->error, TARE_ERROR_USAGE,
              "%s:%d: there is no TARE_BENCHMARK(%s) in this file", r->file, r->line,
              r->identifier);
    return NULL;
}

static void add_variants(struct client *client)
{
    for (struct tare_registration *r = registered; r != NULL; r = r->next) {
        struct client_benchmark *owner = r->kind == TARE_IS_VARIANT ? find_owner(client, r) : NULL;
        if (owner != NULL) {
            *add_variant(client, owner) = (struct client_variant){.name = r->name, .body = r->body};
        }
    }
}

static void describe_all(struct client *client)
{
    for (struct tare_registration *r = registered; r != NULL; r = r->next) {
        struct client_benchmark *owner =
            r->kind == TARE_IS_DESCRIPTION ? find_owner(client, r) : NULL;
        if (owner != NULL) {
            struct tare_description description = {.client = client, .benchmark = owner};
            r->describe(&description);
        }
    }
    for (ptrdiff_t i = 0; i < client->benchmark_count; i++) {
        struct client_benchmark *benchmark = &client->benchmarks[i];
        if (benchmark->variant_count > 1) {
            benchmark->variants[0].name = benchmark->reference_name;
        }
    }
}

bool client_name_is_valid(const char *name)
{
    size_t length = strnlen(name, CLIENT_NAME_BYTES_MAX + 1);
    if (length == 0 || length > CLIENT_NAME_BYTES_MAX || !text_is_utf8(name, (ptrdiff_t)length)) {
        return false;
    }
    for (const char *c = name; *c != '\0'; c++) {
        if ((unsigned char)*c < 0x20 || *c == 0x7F) {
            return false;
        }
    }
    return true;
}

static void check_parameters(struct client *client, const struct client_benchmark *benchmark)
{
    bool is_size_there = benchmark->size_parameter == NULL;
    for (ptrdiff_t i = 0; i < benchmark->parameter_count; i++) {
        const struct client_parameter *parameter = &benchmark->parameters[i];
        if (benchmark->size_parameter != NULL &&
            strcmp(parameter->name, benchmark->size_parameter) == 0) {
            is_size_there = parameter->values != NULL;
        }
    }
    if (!is_size_there) {
        error_set(&client->error, TARE_ERROR_USAGE,
                  "%s:%d: benchmark '%s': tare_fit_size needs '%s' to be an integer parameter",
                  benchmark->registration->file, benchmark->registration->line, benchmark->name,
                  benchmark->size_parameter);
    }
}

/* The reference's name is given freely; the variants' are identifiers, which the compiler keeps
 * apart. */
static void check_variants(struct client *client, const struct client_benchmark *benchmark)
{
    for (ptrdiff_t i = 1; i < benchmark->variant_count; i++) {
        if (strcmp(benchmark->variants[i].name, benchmark->variants[0].name) == 0) {
            error_set(&client->error, TARE_ERROR_USAGE,
                      "%s:%d: benchmark '%s': the reference and a variant are both called '%s'; "
                      "tare_reference gives the reference another name",
                      benchmark->registration->file, benchmark->registration->line, benchmark->name,
                      benchmark->variants[0].name);
        }
    }
}

static void check_names(struct client *client)
{
    for (ptrdiff_t i = 0; i < client->benchmark_count; i++) {
        const struct client_benchmark *benchmark = &client->benchmarks[i];
        const struct tare_registration *r = benchmark->registration;
        if (!client_name_is_valid(benchmark->name)) {
            error_set(&client->error, TARE_ERROR_USAGE,
                      "%s:%d: a benchmark's name must have 1 to %d bytes of UTF-8 without control "
                      "characters",
                      r->file, r->line, CLIENT_NAME_BYTES_MAX);
        }
        for (ptrdiff_t j = 0; j < i; j++) {
            const struct tare_registration *other = client->benchmarks[j].registration;
            if (strcmp(client->benchmarks[j].name, benchmark->name) == 0) {
                error_set(&client->error, TARE_ERROR_USAGE,
                          "%s:%d: benchmark '%s' is already defined at %s:%d; rename one", r->file,
                          r->line, benchmark->name, other->file, other->line);
            }
        }
        check_parameters(client, benchmark);
        check_variants(client, benchmark);
    }
}

/* Every combination of the parameters' values; the last parameter turns fastest. */
static bool next_choice(const struct client_benchmark *benchmark, int32_t *choices)
{
    for (ptrdiff_t i = benchmark->parameter_count - 1; i >= 0; i--) {
        if (++choices[i] < benchmark->parameters[i].count) {
            return true;
        }
        choices[i] = 0;
    }
    return false;
}

static void add_cases(struct client *client)
{
    for (ptrdiff_t b = 0; b < client->benchmark_count; b++) {
        const struct client_benchmark *benchmark = &client->benchmarks[b];
        struct client_case subject = {.benchmark = benchmark};
        do {
            for (ptrdiff_t v = 0; v < benchmark->variant_count; v++) {
                if (client->case_count >= CLIENT_CASES_MAX) {
                    error_set(
                        &client->error, TARE_ERROR_USAGE,
                        "%s:%d: benchmark '%s': the product of all parameters has more than %d "
                        "cases",
                        benchmark->registration->file, benchmark->registration->line,
                        benchmark->name, CLIENT_CASES_MAX);
                    return;
                }
                subject.variant = &benchmark->variants[v];
                client->cases =
                    arena_grow(client->arena, client->cases, &client->case_capacity,
                               client->case_count + 1, (ptrdiff_t)sizeof *client->cases);
                client->cases[client->case_count++] = subject;
            }
        } while (next_choice(benchmark, subject.choices));
    }
}

void client_case_name(const struct client_case *subject, struct buffer *out)
{
    buffer_text(out, subject->benchmark->name);
    if (subject->variant->name[0] != '\0') {
        buffer_printf(out, "/%s", subject->variant->name);
    }
}

void client_case_label(const struct client_case *subject, struct buffer *out)
{
    client_case_name(subject, out);
    for (ptrdiff_t i = 0; i < subject->benchmark->parameter_count; i++) {
        const struct client_parameter *parameter = &subject->benchmark->parameters[i];
        buffer_printf(out, " %s=%s", parameter->name, parameter->texts[subject->choices[i]]);
    }
}
