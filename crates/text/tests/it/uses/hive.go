// Package hive is a hive, and what it uses.
package hive

import (
	"fmt"
	"net/http"

	bees "example.org/bees/v2"
	. "example.org/dots"
	_ "example.org/effects"
	"gopkg.in/yaml.v3"
)

const Limit = 10

var shared = NewStore("shared")
var other = &Store{}

type State int

const (
	Empty State = iota
	Full
)

type Keeper interface {
	fmt.Stringer
	Other
	Keep(hive *Hive, deep bool) (Store, error)
}

type Hive struct {
	Base
	*bees.Thing
	store      *Store
	first, second Queen
	keepers    map[string]Keeper
}

func NewStore(path string) *Store {
	return &Store{path: path, size: Limit}
}

func Open(path string, more ...string) (*Hive, error) {
	store, err := OpenStore(path)
	if err != nil {
		return nil, fmt.Errorf("open: %w", err)
	}
	store.Check(Limit)
	hive := &Hive{store: store, first: bees.NewQueen()}
	hive.Walk(helper, more...)
	return hive, nil
}

func (h *Hive) Walk(each func(Queen) bool, names ...string) (count int) {
	h.store.Close()
	h.first.Crown().Wear()
	each(h.first)
	var keeper Keeper = h
	keeper.Keep(h, true)
	for name, found := range h.keepers {
		found.Keep(h, name == "a")
	}
	if made, ok := keeper.(*Hive); ok {
		made.Walk(nil)
	}
	switch kind := keeper.(type) {
	case *Hive:
		kind.Walk(nil)
	}
	go func(store *Store) {
		store.Close()
		h.Walk(nil)
	}(h.store)
	defer h.store.Close()
	fresh := new(Hive)
	fresh.Walk(nil)
	list := make([]Queen, Limit)
	list[0].Crown()
	states := map[State]string{Empty: "empty"}
	fmt.Println(states[Full], http.StatusOK, len(list), string(names[0]))
	yaml.Marshal(helper)
	Map[Queen](list, func(q Queen) { q.Crown() })
	return shared.Count()
}

func helper(queen Queen) bool { return queen.Free }

func Map[T Keeper](list []T, each func(T)) {
	for _, one := range list {
		each(one)
	}
	var zero T
	zero.Keep(nil, false)
}
