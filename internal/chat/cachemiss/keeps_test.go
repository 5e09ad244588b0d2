package cachemiss

import (
	"testing"
	"time"

	"agent/internal/history"
	"agent/internal/llm"
	"agent/internal/llm/vendor"
)

// A cache of prefixes keeps the common beginning of two requests. A cache with marks keeps each
// prefix that ends at a mark, of the latest request and of earlier requests that are its prefixes.
func TestKeeps(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 28, 9, 0, 0, 0, time.UTC)
	var said []*history.Content
	for range 6 {
		said = append(said, history.New(history.Human, &history.Text{Text: "a"}, &history.Text{Text: "b"}))
	}
	changed := func(at int) []*history.Content {
		entries := append([]*history.Content{}, said...)
		entries[at] = entries[at].WithBlocks([]history.Block{entries[at].Blocks[0], &history.Text{Text: "c"}})
		return entries
	}
	prefix, marks := vendor.Cache{Kind: vendor.CachePrefix}, vendor.Cache{Kind: vendor.CacheMarks}
	var w Detector
	for _, sent := range []Request{{Entries: said[:2]}, {Entries: said[:4], Mark: 3}, {Entries: said[:5]}} {
		sent.At, sent.Model, sent.Head = now, "m", "h"
		w.BeginRequest(sent)
		w.CheckUsage(llm.Usage{PromptTokens: 100}, prefix)
	}
	for name, tt := range map[string]struct {
		next            Request
		cache           vendor.Cache
		entries, blocks int
		head            bool
	}{
		"all of it":             {Request{Entries: said}, prefix, 5, 0, true},
		"within an entry":       {Request{Entries: changed(3)}, prefix, 3, 1, true},
		"all, marked":           {Request{Entries: said}, marks, 5, 0, true},
		"the end before":        {Request{Entries: changed(4)}, marks, 4, 0, true},
		"a mark in the middle":  {Request{Entries: changed(3)}, marks, 3, 0, true},
		"the first of all":      {Request{Entries: changed(2)}, marks, 2, 0, true},
		"nothing but the head":  {Request{Entries: changed(0)}, marks, 0, 0, true},
		"another model":         {Request{Entries: said, Model: "n"}, prefix, 0, 0, false},
		"after its life":        {Request{Entries: said, At: now.Add(time.Hour)}, prefix, 0, 0, false},
		"an endpoint without":   {Request{Entries: said}, vendor.Cache{Kind: vendor.CacheNone}, 0, 0, false},
		"another head":          {Request{Entries: said, Head: "i"}, prefix, 0, 0, false},
		"a shorter beginning":   {Request{Entries: said[:3]}, prefix, 3, 0, true},
		"a shorter one, marked": {Request{Entries: said[:3]}, marks, 3, 0, true},
	} {
		if tt.next.At.IsZero() {
			tt.next.At = now
		}
		if tt.next.Model == "" {
			tt.next.Model = "m"
		}
		if tt.next.Head == "" {
			tt.next.Head = "h"
		}
		if entries, blocks, head := w.CachedPart(tt.next, tt.cache); entries != tt.entries || blocks != tt.blocks || head != tt.head {
			t.Errorf("%s: %d entries, %d blocks, %t", name, entries, blocks, head)
		}
	}
}
