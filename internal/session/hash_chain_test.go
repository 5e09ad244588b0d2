package session

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"agent/internal/history"
)

// chainedLog writes a session with n entries, which is resumed and forked on the way, and returns the
// path of its log.
func chainedLog(t *testing.T, n int) string {
	t.Helper()
	o := options(t)
	l := create(t, o)
	for i := range n {
		if err := l.Observe(history.Mutation{Kind: history.MutationAdded, Entry: history.HumanText(fmt.Sprintf("message %d of\nmany", i))}); err != nil {
			t.Fatal(err)
		}
		switch i {
		case n / 3:
			closeLog(t, l)
			var err error
			if l, _, err = Resume(l.Path(), o); err != nil {
				t.Fatal(err)
			}
		case n / 2:
			if _, err := l.Fork(o, func(string) error { return nil }); err != nil {
				t.Fatal(err)
			}
		}
	}
	closeLog(t, l)
	return l.Path()
}

var unchained = regexp.MustCompile(`"prev":"[0-9a-f]*",`)

// withPreviousHash returns a line with the hash of another previous line.
func withPreviousHash(line, before string) string {
	return unchained.ReplaceAllString(line, `"prev":"`+hashOf([]byte(before))+`",`)
}

func verified(t *testing.T, path string) Chain {
	t.Helper()
	c, err := Verify(path)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// A log that was resumed and forked is valid. Every change of a line except the last one is
// detected, and so is every removed, moved or inserted line.
func TestChangedLinesAreNoticed(t *testing.T) {
	t.Parallel()
	path := chainedLog(t, 24)
	if c := verified(t, path); len(c.Broken) != 0 || c.Without != 0 || c.Records < 24 {
		t.Fatalf("%+v", c)
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(strings.TrimSuffix(string(whole), "\n"), "\n")
	r := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		changed := slices.Clone(lines)
		i, how := r.IntN(len(lines)-1), r.IntN(6)
		switch how {
		case 0: // one byte of the content
			line := []byte(changed[i])
			line[bytes.Index(line, []byte(`"payload":{"`))+len(`"payload":{"`)+r.IntN(3)]++
			changed[i] = string(line)
		case 1:
			changed = slices.Delete(changed, i, i+1)
		case 2:
			changed[i], changed[i+1] = strings.TrimSuffix(changed[i+1], "\n")+"\n", changed[i]
		case 3: // the hash of the line before is removed after a changed line
			if i == len(lines)-2 || strings.Contains(lines[i+1], `"type":"session"`) {
				continue // the resumption by an older program looks like that
			}
			changed[i] = strings.Replace(changed[i], `"payload":`, `"payload": `, 1)
			changed[i+1] = unchained.ReplaceAllString(changed[i+1], "")
		case 4: // two lines are swapped, and their hashes are computed again
			if i == 0 || i > len(lines)-4 {
				continue
			}
			changed[i], changed[i+1] = withPreviousHash(lines[i+1], lines[i-1]), ""
			changed[i+1] = withPreviousHash(lines[i], changed[i])
		default:
			changed = slices.Insert(changed, i+1, changed[i])
		}
		if err := os.WriteFile(path, []byte(strings.Join(changed, "")), 0o600); err != nil {
			t.Fatal(err)
		}
		if c := verified(t, path); len(c.Broken) == 0 {
			t.Fatalf("way %d at line %d of %d is not noticed: %+v", how, i+1, len(lines), c)
		}
	}
}

// The log of an older program reports that it has no hashes. New lines have hashes.
func TestOlderLinesHaveNoHash(t *testing.T) {
	t.Parallel()
	path := chainedLog(t, 6)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var old strings.Builder
	for line := range strings.Lines(string(whole)) {
		head, rest, _ := strings.Cut(line, `,"prev":"`)
		_, payload, _ := strings.Cut(rest, `"`)
		old.WriteString(head + payload)
	}
	if err := os.WriteFile(path, []byte(old.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	before := verified(t, path)
	l, state, err := Resume(path, options(t))
	if err != nil || len(state.Entries) != 6 {
		t.Fatal(err, len(state.Entries))
	}
	if err := l.RecordNotice("from here on"); err != nil {
		t.Fatal(err)
	}
	closeLog(t, l)
	if c := verified(t, path); before.Without != before.Records || c.Without != before.Records || c.Records != before.Records+2 || len(c.Broken) != 0 {
		t.Errorf("before %+v, after %+v", before, c)
	}
}

// A line that was written in part, or that is being written, does not break the chain.
func TestTornLinesBreakNoChain(t *testing.T) {
	t.Parallel()
	path := chainedLog(t, 6)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	at := bytes.LastIndexByte(whole[:len(whole)-1], '\n') + 1
	torn := slices.Concat(whole[:at], []byte("{\"v\":1,\"se\n"), whole[at:], []byte("{\"v\":1"))
	if err := os.WriteFile(path, torn, 0o600); err != nil {
		t.Fatal(err)
	}
	if c := verified(t, path); len(c.Broken) != 0 {
		t.Errorf("%+v", c)
	}
}
