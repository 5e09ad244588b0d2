package sessionsearch

import (
	"flag"
	"fmt"
	"io/fs"
	"math/rand"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"agent/internal/history"
	"agent/internal/testing/cputime"
)

// large reports whether tests run at full size (make properties).
func large() bool {
	checks, _ := strconv.Atoi(flag.Lookup("rapid.checks").Value.String())
	return checks >= 1000
}

// sources returns the source files of this program, which the sessions read.
func sources(t testing.TB) (files []string) {
	const root = "../.."
	size := 0
	_ = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() && strings.HasSuffix(path, ".go") && size < 24<<20 {
			if text, err := os.ReadFile(path); err == nil {
				files = append(files, string(text))
				size += len(text)
			}
		}
		return nil
	})
	if len(files) < 50 {
		t.Skip("there are no sources to make sessions of")
	}
	return files
}

// work records sessions of about the given size. They read files in pages, search and edit, with
// text in between.
func (x Sessions) work(t testing.TB, sessions, size int, files []string) (last *recording) {
	from := rand.New(rand.NewSource(7))
	for i := range sessions {
		last = x.record(t, "w0-abcd", fmt.Sprintf("20261101-%06d-abcde", i), "/home/w0", start.Add(time.Duration(i)*time.Hour))
		last.work(from, size, files)
	}
	return last
}

func (r *recording) work(from *rand.Rand, size int, files []string) {
	for written := 0; written < size; {
		file := files[from.Intn(len(files))]
		lines := strings.SplitAfter(file, "\n")
		begin := from.Intn(len(lines))
		page := strings.Join(lines[begin:min(len(lines), begin+20+from.Intn(200))], "")
		switch from.Intn(4) {
		case 0:
			r.say("Please look at " + lines[from.Intn(len(lines))] + " and say why it fails; then fix it.")
			r.line("entry", history.New(history.AI, &history.Text{Text: strings.Join(lines[begin:min(len(lines), begin+8)], "")}))
		case 1:
			r.call("run_shell_command", "command", "grep -rn "+strconv.Quote(strings.TrimSpace(lines[begin]))+" .", page)
		default:
			r.call("read_file", "absolute_path", fmt.Sprintf("/home/w0/src/pkg%d/file%d.go", from.Intn(90), from.Intn(40)), page)
		}
		written += len(page)
	}
}

func folderSize(t testing.TB, folder string) (size int64) {
	err := filepath.WalkDir(folder, func(_ string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			info, _ := d.Info()
			size += info.Size()
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return size
}

// A search of 100 MB of records takes at most 0.4 s of processor time and 60 MB of memory. The test
// measures this at full size only, and logs the results.
func TestSearchIsSmallAndFast(t *testing.T) {
	x, files := newSessions(t), sources(t)
	sessions := 4
	if large() {
		sessions = 100
	}
	x.work(t, sessions, 1<<20, files)
	logs := folderSize(t, x.Folder)
	for _, query := range []string{"please", "unmarshal", "func return error string fails", `"why it fails"`, "path:file7.go"} {
		took, memory := time.Hour, uint64(0)
		for range 3 { // the minimum of three, because other programs slow this one down
			begin, stop := cputime.Used(t), watchMemory()
			if found := x.ask(t, query, Options{Most: 20}); len(found.Hits) == 0 {
				t.Errorf("%q finds nothing", query)
			}
			memory = max(memory, stop())
			took = min(took, cputime.Used(t)-begin)
		}
		t.Logf("%d MB of records, %s: %v of a processor, %d MB", logs>>20, query, took, memory>>20)
		const busy = 2 // a processor with shared caches takes up to twice as long
		if large() && (took > busy*400*time.Millisecond*time.Duration(logs>>20)/100 || memory > 60<<20) {
			t.Errorf("%s takes too much time or memory", query)
		}
	}
}

// watchMemory returns a function that returns the peak size of the heap since the call.
func watchMemory() (stop func() uint64) {
	end, most := make(chan struct{}), make(chan uint64)
	go func() {
		highest := uint64(0)
		for tick := time.NewTicker(20 * time.Millisecond); ; {
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			highest = max(highest, m.HeapInuse)
			select {
			case <-tick.C:
			case <-end:
				most <- highest
				return
			}
		}
	}()
	return func() uint64 { close(end); return <-most }
}
