/* The rejections of one call. Each distinct rejection has a number, counted from 1. This number is the verdict. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "guest.h"

/* The contract's limit of distinct rejections in one answer. Number LAST stands for the 1000th and all further
 * distinct rejections. */
#define LAST 1000
#define TOO_MANY "too many different reasons to list"

typedef struct {
    char *reason;
    uint32_t hash;
    berth_code_t code;
} rejection_t;

static rejection_t *rejections;
static size_t count, capacity;
/* A hash table of the rejections' numbers, with at least twice as many slots as rejections. 0 is a free slot. */
static uint16_t *slots;
static size_t slot_count;

void berth_verdicts_begin(void) {
    for (size_t at = 0; at < count; at++) free(rejections[at].reason);
    count = 0;
    if (slot_count) memset(slots, 0, slot_count * sizeof *slots);
}

static uint32_t hash_of(berth_code_t code, const char *reason) {
    uint32_t hash = 2166136261u ^ code;
    for (; *reason; reason++) hash = (hash ^ (uint8_t)*reason) * 16777619u;
    return hash;
}

static bool is_same(const rejection_t *known, uint32_t hash, berth_code_t code, const char *reason) {
    return known->hash == hash && known->code == code && berth_equal(known->reason, reason);
}

/* Returns the slot of this rejection, or the free slot where it belongs. */
static uint16_t *slot_of(uint32_t hash, berth_code_t code, const char *reason) {
    size_t at = hash % slot_count;
    while (slots[at] && !is_same(&rejections[slots[at] - 1], hash, code, reason)) at = (at + 1) % slot_count;
    return &slots[at];
}

static void grow(void) {
    if (count < capacity) return;
    capacity = capacity ? capacity * 2 : 16;
    rejections = berth_grown(rejections, capacity, sizeof *rejections);
    slot_count = capacity * 2;
    free(slots);
    slots = berth_new(slot_count, sizeof *slots);
    for (size_t at = 0; at < count; at++) {
        *slot_of(rejections[at].hash, rejections[at].code, rejections[at].reason) = (uint16_t)(at + 1);
    }
}

static berth_verdict_t add(berth_code_t code, const char *reason, uint32_t hash) {
    rejections[count++] = (rejection_t){berth_formatted("%s", reason), hash, code};
    return *slot_of(hash, code, reason) = (berth_verdict_t)count;
}

berth_verdict_t berth_reject(berth_code_t code, const char *reason) {
    grow();
    uint32_t hash = hash_of(code, reason);
    berth_verdict_t known = *slot_of(hash, code, reason);
    if (known) return known;
    if (count < LAST - 1) return add(code, reason, hash);
    if (count == LAST - 1) add(BERTH_CODE_UNSCHEDULABLE, TOO_MANY, hash_of(BERTH_CODE_UNSCHEDULABLE, TOO_MANY));
    return LAST;
}

static berth_verdict_t reject(berth_code_t code, const char *format, va_list values) {
    /* Most reasons are short, and equal to the reason of the previous node. */
    char buffer[128];
    va_list again;
    va_copy(again, values);
    int length = vsnprintf(buffer, sizeof buffer, format, again);
    va_end(again);
    if (length >= 0 && (size_t)length < sizeof buffer) return berth_reject(code, buffer);
    char *reason = berth_format(format, values);
    berth_verdict_t verdict = berth_reject(code, reason);
    free(reason);
    return verdict;
}

berth_verdict_t berth_unschedulable(const char *reason, ...) {
    va_list values;
    va_start(values, reason);
    berth_verdict_t verdict = reject(BERTH_CODE_UNSCHEDULABLE, reason, values);
    va_end(values);
    return verdict;
}

berth_verdict_t berth_unresolvable(const char *reason, ...) {
    va_list values;
    va_start(values, reason);
    berth_verdict_t verdict = reject(BERTH_CODE_UNSCHEDULABLE_AND_UNRESOLVABLE, reason, values);
    va_end(values);
    return verdict;
}

void berth_verdicts_finish(berth_list_status_t *outcomes) {
    outcomes->len = count;
    /* The generated code does not free lists of length 0. */
    outcomes->ptr = count ? berth_new(count, sizeof *outcomes->ptr) : NULL;
    for (size_t at = 0; at < count; at++) {
        berth_status_t *status = &outcomes->ptr[at];
        status->code = rejections[at].code;
        status->reasons.len = 1;
        status->reasons.ptr = berth_new(1, sizeof *status->reasons.ptr);
        berth_give_text(&status->reasons.ptr[0], rejections[at].reason);
    }
}
