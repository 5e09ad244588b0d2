//go:build linux || darwin

package attach

import (
	"bytes"
	"encoding/json"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"pgregory.net/rapid"
)

// The callback for unseen sessions runs when the last terminal leaves. It does not run for boards,
// for programs, or while another terminal remains.
func TestUnseen(t *testing.T) {
	t.Parallel()
	dir, unseen := folder(t), make(chan bool, 8)
	s, err := Serve(dir, "one", NewHub(func() uint64 { return 0 }), nil, func() { unseen <- true })
	if err != nil {
		t.Fatal(err)
	}
	var all []*Conn
	for _, j := range []JoinRequest{{Terminal: true}, {}, {Watch: true, Terminal: true}, {Terminal: true}} {
		c, _ := join(t, dir, "one", j)
		all = append(all, c)
	}
	for _, c := range all {
		_ = c.Close()
	}
	<-unseen
	_ = s.Close() // waits for the clients
	if len(unseen) != 0 {
		t.Errorf("%d more", len(unseen))
	}
}

// folder returns a private folder with a short name, because the length of socket paths is limited.
func folder(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "at")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

func serve(t *testing.T, dir, id string, hub *Hub, handle func(*Client, []byte)) *Server {
	t.Helper()
	s, err := Serve(dir, id, hub, handle, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func join(t *testing.T, dir, id string, j JoinRequest) (*Conn, JoinReply) {
	t.Helper()
	path, err := pathOf(dir, id)
	if err != nil {
		t.Fatal(err)
	}
	c, err := Dial(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	joined, err := c.Join(j)
	if err != nil {
		t.Fatal(err)
	}
	return c, joined
}

// text returns a line whose text has the given number of bytes.
func text(size int) any {
	return json.RawMessage(`{"type":"text","delta":"` + strings.Repeat("x", size) + `"}`)
}

// countingLine counts its encodings.
type countingLine struct{ times *int }

func (c countingLine) MarshalJSON() ([]byte, error) { *c.times++; return []byte(`{"type":"x"}`), nil }

// Before a client joins, only lines for boards are encoded, and lines before the latest line at
// rest are dropped. After that, each line is encoded once for all clients. Boards cause no encoding
// of other lines.
func TestLinesAreEncodedForClients(t *testing.T) {
	t.Parallel()
	hub := NewHub(func() uint64 { return 3 })
	plain, board := 0, 0
	for range 5 {
		hub.Add(Line{Value: countingLine{&plain}})
		hub.Add(Line{Value: countingLine{&board}, Board: true})
		hub.Add(Line{Value: countingLine{&plain}, Rest: true})
		hub.Add(Line{Value: countingLine{&plain}})
	}
	if plain != 0 || board != 5 || len(hub.lines) != 1 {
		t.Errorf("%d lines and %d of boards are encoded, %d kept", plain, board, len(hub.lines))
	}
	joined, after := hub.join(JoinRequest{Watch: true})
	hub.Add(Line{Value: countingLine{&plain}, Rest: true})
	hub.Add(Line{Value: countingLine{&board}, Board: true})
	if lines, _, behind, _ := hub.next(after, true); len(lines) != 1 || behind || plain != 0 || string(joined.State) != `{"type":"x","n":18}` {
		t.Errorf("a board gets %d lines, %d encoded, %s", len(lines), plain, joined.State)
	}
	for range 2 {
		joined, after := hub.join(JoinRequest{})
		if lines, last, behind, _ := hub.next(after, false); !joined.Snapshot || joined.Record != 3 || len(lines) != 3 || last != 22 || behind {
			t.Errorf("%+v: %d lines to %d", joined, len(lines), last)
		}
	}
	if plain != 2 || board != 6 {
		t.Errorf("encoded %d lines and %d of boards", plain, board)
	}
}

// A client may leave and join again at any time. It receives every line once and in order, or the
// number of the record from which it must start.
func TestEveryLineOnce(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var recorded uint64
		hub := NewHub(func() uint64 { return recorded })
		hub.kept = 1000
		most := restless * hub.kept
		known, run := uint64(0), ""
		places := map[uint64]uint64{0: 0} // the record number after each line at rest
		total := uint64(0)
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			switch rapid.IntRange(0, 2).Draw(t, "step") {
			case 0, 1:
				for range rapid.IntRange(1, 20).Draw(t, "lines") {
					rest := rapid.Bool().Draw(t, "rest")
					recorded++
					total++
					if rest {
						places[total] = recorded
					}
					size := rapid.SampledFrom([]int{1, 1, 100, 300}).Draw(t, "size")
					hub.Add(Line{Value: text(size), Size: size, Rest: rest})
				}
			case 2:
				joined, after := hub.join(JoinRequest{After: known, Run: run})
				if after != joined.After || joined.Run != hub.run {
					t.Fatalf("%+v", joined)
				}
				if joined.Snapshot {
					if place, rest := places[after]; !rest && hub.size <= most/2 || rest && joined.Record != place {
						t.Fatalf("it starts at record %d after line %d, want %d (%v)", joined.Record, after, place, rest)
					}
				} else if after != known {
					t.Fatalf("it knew %d and gets the lines after %d", known, after)
				}
				run, known = joined.Run, after
				for {
					lines, last, behind, _ := hub.next(known, false)
					if behind {
						t.Fatal("behind at once")
					}
					for i, line := range lines {
						if numberOf(line) != known+uint64(i)+1 || !json.Valid(line) {
							t.Fatalf("line %.40s after %d", line, known)
						}
					}
					if last == known {
						break
					}
					known = last
				}
				if known != total {
					t.Fatalf("it knows %d of %d lines", known, total)
				}
			}
			if hub.size > most+400 {
				t.Fatalf("the hub holds %d bytes", hub.size)
			}
		}
	})
}

// A join with an unknown number, or with a number of another run, starts from the record.
func TestJoinAfterUnknownNumbers(t *testing.T) {
	t.Parallel()
	hub := NewHub(func() uint64 { return 7 })
	for range 3 {
		hub.Add(Line{Value: json.RawMessage(`{"type":"x"}`)})
	}
	for _, j := range []JoinRequest{{}, {After: 2}, {After: 2, Run: "other"}, {After: 4, Run: hub.run}, {After: 1 << 63, Run: hub.run}} {
		if joined, _ := hub.join(j); !joined.Snapshot || joined.Record != 7 || joined.After != 0 {
			t.Errorf("%+v: %+v", j, joined)
		}
	}
	if joined, _ := hub.join(JoinRequest{After: 3, Run: hub.run}); joined.Snapshot || joined.After != 3 {
		t.Errorf("%+v", joined)
	}
}

// A client that never reads does not block the session. It is disconnected and can join again.
func TestSlowClient(t *testing.T) {
	t.Parallel()
	dir := folder(t)
	hub := NewHub(func() uint64 { return 9 })
	s := serve(t, dir, "one", hub, func(*Client, []byte) {})
	slow, joined := join(t, dir, "one", JoinRequest{})
	for range 80 {
		hub.Add(Line{Value: text(50_000), Size: 50_000, Rest: true})
	}
	last, n := error(nil), joined.After
	for last == nil {
		var line []byte
		if line, last = slow.ReadLine(); last == nil && !bytes.Contains(line, []byte(`"type":"error"`)) {
			if numberOf(line) != n+1 {
				t.Fatalf("line %d after %d", numberOf(line), n)
			}
			n++
		}
	}
	if n >= 80 {
		t.Errorf("it got all %d lines", n)
	}
	again, joined := join(t, dir, "one", JoinRequest{After: n, Run: joined.Run})
	if !joined.Snapshot || joined.After <= n || joined.Record != 9 {
		t.Errorf("%+v after %d", joined, n)
	}
	if line, err := again.ReadLine(); err != nil || numberOf(line) != joined.After+1 {
		t.Errorf("%.40s %v", line, err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

// Lines from clients are data. Too long lines, incomplete lines and floods affect no other client.
func TestLinesOfClients(t *testing.T) {
	t.Parallel()
	dir := folder(t)
	var taken atomic.Int32
	serve(t, dir, "one", NewHub(func() uint64 { return 0 }), func(c *Client, line []byte) {
		taken.Add(1)
		c.Send(map[string]string{"type": "echo", "line": string(line)})
	})
	c, _ := join(t, dir, "one", JoinRequest{})
	go func() {
		_, _ = c.conn.Write(append(bytes.Repeat([]byte("a"), 16<<20), "\n{\"type\":\"hello\"}\n"...))
	}()
	for _, want := range []string{"a line can have at most 1 MiB", "hello"} {
		if line, err := c.ReadLine(); err != nil || !bytes.Contains(line, []byte(want)) {
			t.Fatalf("%.80s %v, want %s", line, err, want)
		}
	}
	half, _ := join(t, dir, "one", JoinRequest{})
	_, _ = half.conn.Write([]byte(`{"type":"half"`))
	_ = half.Close()
	flood, _ := join(t, dir, "one", JoinRequest{})
	for range 2 * maxTold { // it does not read the answers
		_, _ = flood.conn.Write([]byte("{\"type\":\"flood\"}\n"))
	}
	c.SetTimeout(0)
	if err := c.Send(map[string]string{"type": "still"}); err != nil {
		t.Fatal(err)
	}
	if line, err := c.ReadLine(); err != nil || !bytes.Contains(line, []byte("still")) {
		t.Fatalf("%s %v", line, err)
	}
	if n := taken.Load(); n < 2 {
		t.Errorf("%d lines were taken", n)
	}
	path, _ := pathOf(dir, "one")
	for _, first := range []string{"{}\n", "nothing\n", `{"type":"user"}` + "\n"} {
		conn, err := net.Dial("unix", path)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = conn.Write([]byte(first))
		answer := make([]byte, 200)
		n, _ := conn.Read(answer)
		if !strings.Contains(string(answer[:n]), `of the type \"join\"`) {
			t.Errorf("%q: %q", first, answer[:n])
		}
		_ = conn.Close()
	}
}

// Boards receive only states and prompts, including prompts that are already open.
func TestBoardsGetStates(t *testing.T) {
	t.Parallel()
	dir := folder(t)
	hub := NewHub(func() uint64 { return 0 })
	serve(t, dir, "one", hub, func(*Client, []byte) {})
	hub.Add(Line{Value: json.RawMessage(`{"type":"state","state":"working"}`), Board: true})
	hub.Add(Line{Value: json.RawMessage(`{"type":"approval","id":1}`), Board: true, Asks: 1})
	hub.Add(Line{Value: json.RawMessage(`{"type":"approval","id":2}`), Board: true, Asks: 2})
	hub.Add(Line{Value: json.RawMessage(`{"type":"settled","id":1}`), Board: true, Settles: 1})
	c, joined := join(t, dir, "one", JoinRequest{Watch: true})
	if string(joined.State) != `{"type":"state","n":1,"state":"working"}` || len(joined.Open) != 1 || string(joined.Open[0]) != `{"type":"approval","n":3,"id":2}` {
		t.Errorf("%s %s", joined.State, joined.Open)
	}
	hub.Add(Line{Value: json.RawMessage(`{"type":"text","delta":"hidden"}`)})
	hub.Add(Line{Value: json.RawMessage(`{"type":"settled","id":2}`), Board: true, Settles: 2})
	if line, err := c.ReadLine(); err != nil || string(line) != `{"type":"settled","n":6,"id":2}` {
		t.Errorf("%s %v", line, err)
	}
}

// The socket of a killed program is replaced. Any other file at its path stays. Only a private
// folder of the user is used.
func TestPlacesOfSockets(t *testing.T) {
	t.Parallel()
	dir := folder(t)
	path := filepath.Join(dir, "one"+extension)
	dead, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	dead.SetUnlinkOnClose(false)
	_ = dead.Close()
	if !IsDead(path) {
		t.Error("a socket without a program counts as served")
	}
	hub := NewHub(func() uint64 { return 0 })
	s := serve(t, dir, "one", hub, func(*Client, []byte) {})
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v %v", info, err)
	}
	if _, err := Serve(dir, "one", hub, nil, nil); err == nil {
		t.Error("two processes serve one session")
	}
	if got := List([]string{dir, filepath.Join(dir, "none")}); len(got) != 1 || got[0] != path {
		t.Errorf("%v", got)
	}
	// If another program removes the socket, it is made again. If another program replaces it, it
	// stays.
	_ = os.Remove(path)
	if gone, err := s.RestoreSocket(); gone || err != nil || IsDead(path) {
		t.Errorf("%v %v", gone, err)
	}
	join(t, dir, "one", JoinRequest{})
	_ = os.Remove(path)
	if err := os.WriteFile(path, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := s.RestoreSocket(); err == nil {
		t.Error("it replaces a file")
	}
	if paths := List([]string{dir}); len(paths) > 0 {
		t.Errorf("a file is listed as a socket: %q", paths)
	}
	_ = s.Close()
	if text, _ := os.ReadFile(path); string(text) != "mine" {
		t.Error("closing removed a file of another program")
	}
	if err := os.Chmod(dir, 0o750); err != nil {
		t.Fatal(err)
	}
	if _, err := Serve(dir, "two", hub, nil, nil); err == nil || len(List([]string{dir})) > 0 {
		t.Error("a folder that others can enter is used")
	}
	link := filepath.Join(folder(t), "link")
	if err := os.Symlink(folder(t), link); err != nil {
		t.Fatal(err)
	}
	if _, err := Serve(link, "two", hub, nil, nil); err == nil {
		t.Error("a symlink is used as the folder")
	}
	long := folder(t)
	serve(t, long, strings.Repeat("i", 64)+strings.Repeat("d", 64), hub, func(*Client, []byte) {})
	if got := List([]string{long}); len(got) != 1 || len(got[0]) > maxPath {
		t.Errorf("%v", got)
	}
	if _, err := Serve(filepath.Join(dir, strings.Repeat("f", 90)), "x", hub, nil, nil); err == nil || !strings.Contains(err.Error(), "XDG_RUNTIME_DIR") {
		t.Errorf("%v", err)
	}
}

// A relative folder, or a folder of another user, is not used as runtime folder.
func TestFolders(t *testing.T) {
	t.Parallel()
	dir := folder(t)
	for runtime, want := range map[string]int{"": 1, "relative": 1, filepath.Join(dir, "none"): 1, dir: 2} {
		if got := Folders(runtime, "/state"); len(got) != want || got[len(got)-1] != "/state/sockets" {
			t.Errorf("%q: %v", runtime, got)
		}
	}
}
