package window_test

import (
	"strings"
	"testing"

	"agent/internal/chat/window"
	"agent/internal/compression"
	"agent/internal/history"
	"agent/internal/settings"
)

func reasons(held []window.PrunablePart) string {
	var all []string
	for _, h := range held {
		all = append(all, h.Kind+" "+h.Subject+": "+h.Reason)
	}
	return strings.Join(all, "\n")
}

// The reason why a part of a file is still in the context is available for strategies without
// prices too.
func TestHeldByEachStrategy(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, strategy string
		change         func(*bench)
		want           string
	}{
		{"a read", compression.DefaultName, func(*bench) {}, "read_file /w/a: kept: the file has not changed since"},
		{
			"a stale read", compression.DefaultName, func(b *bench) { b.pair("2", "write_file", "a", "ok") },
			"read_file /w/a: will be pruned before the next request: written later by write_file\nwrite_file /w/a: kept: an edit of the file; only compression can remove it",
		},
		{"pinned", compression.DefaultName, func(b *bench) {
			b.pair("2", "write_file", "a", "ok")
			if _, err := b.Pins.Pin("./a", true); err != nil {
				b.t.Fatal(err)
			}
		}, "read_file /w/a: pinned\nwrite_file /w/a: pinned"},
		{"switched off", compression.DefaultName, func(b *bench) { b.set(densityKey("readWritePruning"), false) }, "read_file /w/a: compression.density.readWritePruning is off"},
		{"no density", "top-down-truncation", func(*bench) {}, "read_file /w/a: kept: this compression strategy prunes nothing; compression removes the oldest content first"},
		{"included", compression.DefaultName, func(b *bench) {
			b.add(history.New(history.Human, history.NewInclusion("a", "x")))
		}, "read_file /w/a: kept: the file has not changed since\ninclusion /w/a: kept: the latest copy of a file included with @"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, 0)
			b.set(settings.CompressionStrategy, c.strategy)
			b.pair("1", "read_file", "a", wordy(50))
			c.change(b)
			for _, name := range []string{"a", "./a", "/w/a", ""} {
				if got := reasons(b.Contents.PrunableParts(name)); got != c.want {
					t.Errorf("%q: got\n%s\nwant\n%s", name, got, c.want)
				}
			}
			if got := b.Contents.PrunableParts("b"); len(got) > 0 {
				t.Errorf("of another file: %v", got)
			}
		})
	}
}

// A pin names its file, lasts until it is removed, and /context shows the pinned content.
func TestPin(t *testing.T) {
	t.Parallel()
	b := newBench(t, 0)
	b.pair("1", "read_file", "x/a", wordy(50))
	b.pair("2", "read_file", "y/a", wordy(50))
	for name, want := range map[string]string{"a": "matches 2 files; type more of the path: /w/x/a, /w/y/a", "b": "b is not in the conversation"} {
		if _, err := b.Pins.Pin(name, true); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := b.Pins.Pin("a", false); err == nil || !strings.Contains(err.Error(), "no file is pinned") {
		t.Error(err)
	}
	if file, err := b.Pins.Pin("x/a", true); err != nil || file != "/w/x/a" || b.Usage().Prunable.Pinned < 50 {
		t.Errorf("%s, %v, %+v", file, err, b.Usage().Prunable)
	}
	b.pair("3", "write_file", "x/a", "ok")
	b.pair("4", "write_file", "y/a", "ok")
	if b.fit(); b.whole(wordy(50)) != 1 {
		t.Errorf("%d of the reads are there", b.whole(wordy(50)))
	}
	if file, err := b.Pins.Pin("a", false); err != nil || file != "/w/x/a" || len(b.Pins.List()) != 0 {
		t.Errorf("%s, %v", file, err)
	}
	b.say("on")
	if b.fit(); b.whole(wordy(50)) != 0 {
		t.Error("it is still kept")
	}
	if _, err := b.Pins.Pin("x/a", true); err != nil || len(b.Pins.List()) != 1 {
		t.Errorf("pinned again: %v, %v", b.Pins.List(), err)
	}
	if b.Reset(); len(b.Pins.List()) != 0 {
		t.Errorf("a cleared conversation has the pins %v", b.Pins.List())
	}
}
