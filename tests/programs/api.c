/* The C interface used by a C program alone: prints what tests/app/api_test.py checks.
 * Usage: api TRACE */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/lanescope.h"

/* The structs of Arrow's C interface, as its page defines them: a program needs no library for them. */
struct ArrowSchema {
    const char* format;
    const char* name;
    const char* metadata;
    int64_t flags;
    int64_t n_children;
    struct ArrowSchema** children;
    struct ArrowSchema* dictionary;
    void (*release)(struct ArrowSchema*);
    void* private_data;
};
struct ArrowArray {
    int64_t length;
    int64_t null_count;
    int64_t offset;
    int64_t n_buffers;
    int64_t n_children;
    const void** buffers;
    struct ArrowArray** children;
    struct ArrowArray* dictionary;
    void (*release)(struct ArrowArray*);
    void* private_data;
};
struct ArrowArrayStream {
    int (*get_schema)(struct ArrowArrayStream*, struct ArrowSchema* out);
    int (*get_next)(struct ArrowArrayStream*, struct ArrowArray* out);
    const char* (*get_last_error)(struct ArrowArrayStream*);
    void (*release)(struct ArrowArrayStream*);
    void* private_data;
};

static void print_error(const char* what, lanescope_status status) {
    const lanescope_error* error = lanescope_last_error();
    printf("%s: status %d %d, path \"%s\", offset %s, %s\n", what, (int)status, (int)error->status, error->path,
           error->byte_offset == LANESCOPE_NO_OFFSET ? "none" : "known", error->text);
}

static void print_value(const struct ArrowSchema* schema, const struct ArrowArray* array, int64_t row) {
    const uint8_t* valid = array->buffers[0];
    if (array->null_count != 0 && valid && !(valid[row / 8] >> (row % 8) & 1)) {
        printf("null");
    } else if (strcmp(schema->format, "l") == 0) {
        printf("%lld", (long long)((const int64_t*)array->buffers[1])[row]);
    } else if (strcmp(schema->format, "g") == 0) {
        printf("%.17g", ((const double*)array->buffers[1])[row]);
    } else if (strcmp(schema->format, "i") == 0) {
        const int32_t index = ((const int32_t*)array->buffers[1])[row];
        const int32_t* ends = array->dictionary->buffers[1];
        const char* bytes = array->dictionary->buffers[2];
        printf("%.*s", (int)(ends[index + 1] - ends[index]), bytes + ends[index]);
    } else {
        printf("list");
    }
}

/* Prints a stream as lines of tab-separated values, and releases it. */
static void print_stream(struct ArrowArrayStream* stream) {
    struct ArrowSchema schema;
    struct ArrowArray array;
    if (stream->get_schema(stream, &schema) != 0) exit(3);
    for (int64_t c = 0; c < schema.n_children; ++c) printf("%s%s", c ? "\t" : "", schema.children[c]->name);
    printf("\n");
    while (stream->get_next(stream, &array) == 0 && array.release) {
        for (int64_t row = 0; row < array.length; ++row) {
            for (int64_t c = 0; c < array.n_children; ++c) {
                if (c) printf("\t");
                print_value(schema.children[c], array.children[c], row);
            }
            printf("\n");
        }
        array.release(&array);
    }
    schema.release(&schema);
    stream->release(stream);
}

static int cancel_at_once(void* user, uint64_t done, uint64_t total) {
    (void)done;
    (void)total;
    ++*(int*)user;
    return 1;
}

static int64_t read_file(void* user, void* buffer, size_t bytes) {
    return (int64_t)fread(buffer, 1, bytes, user);
}

static int64_t fail_to_read(void* user, void* buffer, size_t bytes) {
    (void)user;
    (void)buffer;
    (void)bytes;
    return -1;
}

static int64_t end_at_once(void* user, void* buffer, size_t bytes) {
    (void)user;
    (void)buffer;
    (void)bytes;
    return 0;
}

static void try_errors(lanescope_trace* trace, const char* path) {
    struct ArrowArrayStream stream;
    lanescope_trace* none = NULL;
    const char* missing = "/nonexistent/trace.json";
    print_error("missing", lanescope_open(&missing, 1, NULL, NULL, NULL, &none));
    print_error("no table", lanescope_table(&trace, 1, "kernel_s", NULL, &stream));
    print_error("no option", lanescope_table(&trace, 1, "kernels", "{\"bye\": 1}", &stream));
    print_error("no json", lanescope_table(&trace, 1, "kernels", "[", &stream));
    print_error("wrong type", lanescope_table(&trace, 1, "kernels", "{\"top\": \"ten\"}", &stream));
    print_error("no range", lanescope_table(&trace, 1, "kernels", "{\"range\": \"soon\"}", &stream));
    print_error("no trace", lanescope_table(&none, 1, "kernels", NULL, &stream));
    print_error("no name", lanescope_table(&trace, 1, NULL, NULL, &stream));
    print_error("no script", lanescope_sql(&trace, 1, NULL, NULL, NULL, NULL, NULL, &stream));
    print_error("no place", lanescope_open(&missing, 1, NULL, NULL, NULL, NULL));
    print_error("no alignment", lanescope_open(&path, 1, "{\"align\": \"soon\"}", NULL, NULL, &none));
    print_error("no workers", lanescope_open(&path, 1, "{\"workers\": 0}", NULL, NULL, &none));
    print_error("many workers", lanescope_open(&path, 1, "{\"workers\": 65}", NULL, NULL, &none));
    print_error("part of a worker", lanescope_open(&path, 1, "{\"workers\": 1.5}", NULL, NULL, &none));
    print_error("no memory", lanescope_open(&path, 1, "{\"memory\": 0}", NULL, NULL, &none));
    print_error("wordy memory", lanescope_open(&path, 1, "{\"memory\": \"1 GiB\"}", NULL, NULL, &none));
    print_error("little memory", lanescope_open(&path, 1, "{\"workers\": 1, \"memory\": 1000000}", NULL, NULL, &none));
    print_error("sql", lanescope_sql(&trace, 1, "select * from nowhere", NULL, NULL, NULL, NULL, &stream));
    print_error("stream", lanescope_open_stream(fail_to_read, NULL, NULL, NULL, NULL, &none));
    print_error("empty stream", lanescope_open_stream(end_at_once, NULL, "{\"name\": \"run.json\"}", NULL, NULL, &none));
    print_error("early end", lanescope_open_stream(end_at_once, NULL, "{\"name\": \"run.json\", \"size\": 7}", NULL, NULL, &none));
    print_error("workers of a stream", lanescope_open_stream(end_at_once, NULL, "{\"workers\": -1}", NULL, NULL, &none));
    print_error("large stream", lanescope_open_stream(fail_to_read, NULL, "{\"size\": 1152921504606846976}", NULL, NULL, &none));
    int asked = 0;
    const char* endless =
        "with recursive n(i) as (select 1 union all select i + 1 from n) select count(*) from n";
    print_error("cancelled", lanescope_sql(&trace, 1, endless, NULL, NULL, cancel_at_once, &asked, &stream));
    printf("asked %d times\n", asked);
    print_error("timeout", lanescope_sql(&trace, 1, endless, NULL, "{\"timeout\": \"50ms\"}", NULL, NULL, &stream));
}

static void try_parameters(lanescope_trace* trace) {
    struct ArrowArrayStream stream;
    const char* by_name = "select :text as text, @whole as whole, $real as real, :missing as missing, :yes as yes";
    const char* object =
        "{\"text\": \"'; drop table x; -- \\u00e9\", \"whole\": 9223372036854775807, \"real\": 0.5, \"missing\": null, "
        "\"yes\": true}";
    const char* by_place = "create table t as select ? as first; select first, ?2 + ?1 as sum from t";
    if (lanescope_sql(&trace, 1, by_name, object, NULL, NULL, NULL, &stream)) exit(11);
    print_stream(&stream);
    if (lanescope_sql(&trace, 1, by_place, "[20, 22]", NULL, NULL, NULL, &stream)) exit(12);
    print_stream(&stream);
    const char* wrong[][3] = {{"no value", "select :step", "{\"stop\": 1}"},
                              {"no second", "select ?, ?", "[1]"},
                              {"surplus", "select ?", "[1, 2]"},
                              {"surplus name", "select 1", "{\"step\": 1}"},
                              {"no list", "select ?", "3"},
                              {"no array", "select ?", "[1"},
                              {"inner", "select ?", "[[1]]"},
                              {"twice", "select :a", "{\"a\": 1, \"a\": 2}"},
                              {"too large", "select ?", "[9223372036854775808]"},
                              {"far too large", "select :n", "{\"n\": -100000000000000000000}"}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i)
        print_error(wrong[i][0], lanescope_sql(&trace, 1, wrong[i][1], wrong[i][2], NULL, NULL, NULL, &stream));
}

static void read_rows_twice(lanescope_trace* trace) {
    struct ArrowArrayStream stream;
    lanescope_rows* rows = NULL;
    if (lanescope_table(&trace, 1, "steps", NULL, &stream) != LANESCOPE_OK) exit(4);
    if (lanescope_keep(&stream, &rows) != LANESCOPE_OK || stream.release) exit(5);
    printf("%lld rows\n", (long long)lanescope_row_count(rows));
    if (lanescope_stream_of(rows, &stream) != LANESCOPE_OK) exit(6);
    print_stream(&stream);
    if (lanescope_stream_of(rows, &stream) != LANESCOPE_OK) exit(6);
    lanescope_drop(rows);
    print_stream(&stream); /* outlives the rows */
}

int main(int argc, char** argv) {
    lanescope_trace* trace = NULL;
    struct ArrowArrayStream stream;
    char* text = NULL;
    size_t bytes = 0;
    if (argc != 2) return 2;
    const char* path = argv[1];
    printf("version %s\n", lanescope_version());
    if (lanescope_open(&path, 1, NULL, NULL, NULL, &trace) != LANESCOPE_OK) {
        print_error("open", LANESCOPE_OK);
        return 1;
    }
    try_errors(trace, path);
    try_parameters(trace);
    read_rows_twice(trace);
    if (lanescope_text(&trace, 1, "summary", NULL, &text, &bytes) != LANESCOPE_OK) return 7;
    printf("summary of %d bytes\n", bytes == strlen(text));
    lanescope_free(text);
    FILE* file = fopen(path, "rb");
    lanescope_trace* streamed = NULL;
    if (lanescope_open_stream(read_file, file, "{\"name\": \"streamed.json\", \"workers\": 1, \"memory\": 100000000}", NULL, NULL, &streamed)) return 8;
    fclose(file);
    if (lanescope_sql(&streamed, 1, "select count(*) as slices from slice", NULL, NULL, NULL, NULL, &stream)) return 9;
    lanescope_close(streamed);
    print_stream(&stream); /* outlives the trace */
    if (lanescope_table(&trace, 1, "kernels", "{\"by\": \"config\", \"top\": 5}", &stream)) return 10;
    lanescope_close(trace);
    print_stream(&stream);
    lanescope_close(NULL);
    return 0;
}
