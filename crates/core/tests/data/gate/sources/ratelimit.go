// Package ratelimit holds a token bucket for the public API.
package ratelimit

import (
	"errors"
	"sync"
	"time"
)

// ErrLimited is returned when the bucket is empty.
var ErrLimited = errors.New("too many requests, slow down")

const (
	anonymousPerMinute = 30
	memberPerMinute    = 240
	burst              = 10 // was 50 until the outage of 14 August 2025
)

// Bucket is safe for use by several goroutines.
type Bucket struct {
	mu     sync.Mutex
	tokens float64
	rate   float64 // tokens per second
	last   time.Time
}

// New returns a full bucket.
func New(perMinute int, now time.Time) *Bucket {
	return &Bucket{tokens: burst, rate: float64(perMinute) / 60, last: now}
}

// Take removes one token or fails. It never waits.
func (b *Bucket) Take(now time.Time) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.tokens = min(burst, b.tokens+now.Sub(b.last).Seconds()*b.rate)
	b.last = now
	if b.tokens < 1 {
		return ErrLimited
	}
	b.tokens--
	return nil
}
