package provider

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"agent/internal/llm/openai"
)

// Lessons about an endpoint are stored for a limited time. They apply to one host and model.
func TestLessons(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	now := time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)
	open := func() *lessons[openai.Dialect] {
		return newLessons[openai.Dialect](filepath.Join(dir, "state"), dialectFile, dialectLife, func() time.Time { return now })
	}
	want := openai.Dialect{OmitUsage: true, API: openai.APIResponses}
	open().of("a.example").Keep("m", want)
	if got := open().of("a.example").Learned("m"); got != want {
		t.Errorf("got %+v", got)
	}
	none := openai.Dialect{}
	if open().of("b.example").Learned("m") != none || open().of("a.example").Learned("n") != none {
		t.Error("another host or model has learned it")
	}
	for _, age := range []time.Duration{-time.Hour, dialectLife + time.Hour} {
		now = time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC).Add(age)
		if open().of("a.example").Learned("m") != none {
			t.Errorf("it counts after %s", age)
		}
	}
}

// Two programs that store lessons at the same time lose none.
func TestLessonsOfTwoPrograms(t *testing.T) {
	t.Parallel()
	const each = 40
	dir := t.TempDir()
	open := func() *lessons[bool] { return newLessons[bool](dir, boundFile, boundLife, time.Now) }
	var programs sync.WaitGroup
	for _, host := range []string{"a.example", "b.example"} {
		all := open()
		programs.Go(func() {
			for i := range each {
				all.of(host).Keep(fmt.Sprint(i), true)
			}
		})
	}
	programs.Wait()
	if got := len(open().read()); got != 2*each {
		t.Errorf("%d of %d lessons are there", got, 2*each)
	}
}

// The file has a maximum size. A damaged or read-only file is not an error.
func TestLessonsFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	now := time.Now()
	l := newLessons[openai.Dialect](dir, dialectFile, dialectLife, func() time.Time { now = now.Add(time.Second); return now })
	for i := range mostLessons + 5 {
		l.of("h").Keep(fmt.Sprint(i), openai.Dialect{OmitCache: true})
	}
	if all := l.read(); len(all) != mostLessons || all["h 4"].Lesson.OmitCache || !all["h 5"].Lesson.OmitCache {
		t.Errorf("%d are kept", len(all))
	}
	if err := os.WriteFile(l.path, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if len(l.read()) != 0 {
		t.Error("a broken file teaches something")
	}
	l.of("h").Keep("m", openai.Dialect{OmitCache: true})
	if !l.of("h").Learned("m").OmitCache {
		t.Error("a broken file is not replaced")
	}
	newLessons[openai.Dialect]("", dialectFile, dialectLife, time.Now).of("h").Keep("m", openai.Dialect{OmitCache: true})
	newLessons[openai.Dialect]("/dev/null/x", dialectFile, dialectLife, time.Now).of("h").Keep("m", openai.Dialect{OmitCache: true})
}

// The lesson that reasoning is bound is kept longer than the others, and the engine uses it.
func TestBoundIsKept(t *testing.T) {
	t.Parallel()
	now := time.Unix(1_000_000, 0)
	clock := func() time.Time { return now }
	folder := t.TempDir()
	open := func() dialectLessons {
		return dialectLessons{newLessons[openai.Dialect](folder, dialectFile, dialectLife, clock).of("h"), newLessons[bool](folder, boundFile, boundLife, clock).of("h")}
	}
	open().Keep("m", openai.Dialect{Bound: true, OmitUsage: true})
	for _, tc := range []struct {
		days int
		want openai.Dialect
	}{{6, openai.Dialect{Bound: true, OmitUsage: true}}, {23, openai.Dialect{Bound: true}}, {2, openai.Dialect{}}} {
		now = now.Add(time.Duration(tc.days) * 24 * time.Hour)
		if got := open().Learned("m"); got != tc.want || open().Learned("other") != (openai.Dialect{}) {
			t.Errorf("after %d more days: %+v", tc.days, got)
		}
	}
}
