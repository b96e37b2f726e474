// Spends its CPU time in a function that is called through a chain of others and through the C
// library: first_call → second_call → qsort → compare → leaf. Compiled without frame pointers.
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define APART __attribute__((noinline, noipa))

static volatile uint64_t sink;

APART int leaf(const char* left, const char* right) {
    for (uint64_t i = 0; i < 20000; ++i) sink = sink * 31 + i;
    return *left - *right;
}

APART int compare(const void* left, const void* right) {
    char copy[64];  // a frame of some size
    memset(copy, *(const char*)left, sizeof copy);
    const int order = leaf(copy, right);
    sink = sink + (uint64_t)copy[7];  // no tail call
    return order;
}

APART void second_call(char* items, size_t count) {
    qsort(items, count, 1, compare);
    sink = sink + 1;
}

APART void first_call(const char* text) {
    char items[40];
    memcpy(items, text, sizeof items);
    second_call(items, sizeof items);
    sink = sink + (uint64_t)items[3];
}

int main(int count, char** words) {
    const double seconds = count > 1 ? atof(words[1]) : 0.1;
    while ((double)clock() / CLOCKS_PER_SEC < seconds)
        first_call("the quick brown fox jumps over a lazy dog");
    return 0;
}
