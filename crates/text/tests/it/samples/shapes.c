#include <stdio.h>
#ifndef SHAPES_H
#define SHAPES_H

#define LIMIT 10
/* Squares it. */
#define SQUARE(x) \
    ((x) * (x))

typedef struct {
    int x;
} Point;

/* A list of shapes. */
typedef struct node {
    struct node *next;
} node_t;

struct circle {
    int radius;
};

union number { int whole; };
enum colour { RED, GREEN };
typedef enum { SMALL } Size;
typedef int (*compare)(int, int);
typedef unsigned long length;

extern int shared;
static const char *names[] = { "circle" };
const int limit = 3;
int width, *height = 0;

int area(int radius);
char *name_of(struct circle *circle);

/* Adds two. */
static int add(int a, int b) {
    int local = a;
    return local + b;
}

char **split(const char *text)
{
    return 0;
}

#endif
