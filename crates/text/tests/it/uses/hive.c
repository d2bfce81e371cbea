/* A hive, and what it uses. */
#include <stdio.h>
#include "store.h"

#define LIMIT 10
#define TWICE(x) (2 * helper(x))

typedef struct queen queen_t;
typedef int (*each_fn)(struct bee *, int);

enum state { EMPTY, FULL = 2 };

struct hive {
    struct store *store;
    queen_t first, *second;
    int names[LIMIT];
    int (*walk)(struct hive *hive, int count);
    struct { int deep; } inside;
    enum state state;
};

static struct hive shared = { .walk = hive_walk };
extern int counter;

struct hive *hive_open(const char *path, ...);
int none(void);

static int helper(int count) {
    return count + LIMIT + counter;
}

int hive_walk(struct hive *hive, int count) {
    struct store *store = store_open("a", LIMIT);
    queen_t queen;
    each_fn each = pick(helper);
    store_close(store);
    store->close(store);
    hive->store->count(1);
    queen.crown(&queen);
    hive->walk(hive, FULL);
    each(NULL, TWICE(count));
    for (int index = 0; index < count; index++) {
        hive->names[index] = helper(index);
    }
    if (shared.state == EMPTY)
        return sizeof(struct hive);
    ((struct hive *)hive->first)->walk(hive, none());
#ifdef DEEP
    deep(hive);
#endif
    return (*each)(0, (int)count);
}
