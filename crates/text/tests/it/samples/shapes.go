// Package shapes is about shapes.
package shapes

import "fmt"

const Limit = 10

const (
	// Red is the first.
	Red = iota
	Green
)

var width, height int = 1, 2

var (
	names = map[string]int{
		"circle": 1,
	}
)

// Shape has an area.
type Shape interface {
	Area() float64
	fmt.Stringer
}

type (
	Point struct {
		X, Y int
	}
	Name   = string
	Reduce func(int) int
)

type Number int

// Area is how much it covers.
func (c *Circle[T]) Area() float64 {
	square := func(x float64) float64 { return x * x }
	return square(c.radius)
}

func (Circle) None() {}

func Map[T any](items []T) []T {
	return items
}
