//go:build linux || darwin

package board

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"agent/internal/attach"
)

// A board lists waiting sessions first, and follows each session to its end.
func TestBoardFollowsSessions(t *testing.T) {
	t.Parallel()
	dir, err := os.MkdirTemp("", "bo")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	hubs := map[string]*attach.Hub{}
	for id, state := range map[string]string{"one": `"idle"`, "two": `"blocked","kind":"permission"`} {
		hubs[id] = attach.NewHub(func() uint64 { return 0 })
		hubs[id].Add(attach.Line{Value: json.RawMessage(`{"type":"state","id":"` + id + `","state":` + state + `}`), Board: true})
		server, err := attach.Serve(dir, id, hubs[id], func(*attach.Client, []byte) {}, nil)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = server.Close() })
	}
	hubs["two"].Add(attach.Line{Value: json.RawMessage(`{"type":"approval","id":3,"preview":{"Title":"run make"}}`), Board: true, Asks: 3})
	b := New(Sources{Sockets: []string{dir}, Sessions: filepath.Join(dir, "none"), WaitsSince: func(string) time.Time { return time.Time{} }})
	defer b.Close()
	b.Find()
	shown := func() string {
		var all []string
		for _, row := range b.Rows() {
			text := row.ID + " " + row.SessionState.State + " " + row.Kind
			for _, asked := range row.Questions {
				text += " " + asked.Preview.Title
			}
			all = append(all, text)
		}
		return strings.Join(all, "|")
	}
	if got := shown(); got != "two blocked permission run make|one idle " {
		t.Fatal(got)
	}
	hubs["two"].Add(attach.Line{Value: json.RawMessage(`{"type":"settled","id":3}`), Board: true, Settles: 3})
	hubs["two"].Add(attach.Line{Value: json.RawMessage(`{"type":"state","id":"two","state":"done"}`), Board: true})
	for shown() != "two done |one idle " {
		<-b.Changes()
	}
	hubs["two"].End()
	for shown() != "one idle " {
		<-b.Changes()
	}
}

// Boards of 50 and of 200 sessions show every session. An event of one session changes its row.
func TestBoardOfManySessions(t *testing.T) {
	t.Parallel()
	for _, sessions := range []int{50, 200} {
		b, last := boardOf(t, sessions)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		began := time.Now()
		b.Find()
		took := time.Since(began)
		runtime.ReadMemStats(&after)
		t.Logf("%d sessions: all rows after %s, %d KiB allocated", sessions, took.Round(time.Millisecond), (after.TotalAlloc-before.TotalAlloc)>>10)
		for len(b.Rows()) < sessions {
			b.Find() // on a busy machine the first call may miss some of them
		}
		last.Add(attach.Line{Value: json.RawMessage(fmt.Sprintf(`{"type":"state","id":"s%d","state":"blocked"}`, sessions-1)), Board: true})
		for b.Rows()[0].SessionState.State != "blocked" {
			<-b.Changes()
		}
	}
}

// boardOf returns a board that has found no session yet, and the Hub of the last of so many sessions.
func boardOf(t testing.TB, sessions int) (b *Board, last *attach.Hub) {
	t.Helper()
	dir, err := os.MkdirTemp("", "bo")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	for i := range sessions {
		last = attach.NewHub(func() uint64 { return 0 })
		last.Add(attach.Line{Value: json.RawMessage(fmt.Sprintf(`{"type":"state","id":"s%d","state":"working"}`, i)), Board: true})
		server, err := attach.Serve(dir, fmt.Sprintf("s%d", i), last, func(*attach.Client, []byte) {}, nil)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = server.Close() })
	}
	b = New(Sources{Sockets: []string{dir}, Sessions: filepath.Join(dir, "none"), WaitsSince: func(string) time.Time { return time.Time{} }})
	t.Cleanup(b.Close)
	return b, last
}

// BenchmarkFind measures what a board of 50 known sessions does each second.
func BenchmarkFind(b *testing.B) {
	known, _ := boardOf(b, 50)
	known.Find()
	for b.Loop() {
		known.Find()
		known.Rows()
	}
}
