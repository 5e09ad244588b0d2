package find

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
	"agent/internal/testing/spent"
)

// large reports whether the tests are to be made at their full size (make properties).
func large() bool {
	checks, _ := strconv.Atoi(flag.Lookup("rapid.checks").Value.String())
	return checks >= 1000
}

// sources returns the text of this program, as files that sessions read.
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

// work records sessions of about the given size: files that are read in pages, searches, edits and
// words between them.
func (x Index) work(t testing.TB, sessions, size int, files []string) (last *recording) {
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

// The index takes at most a tenth of the records. At full size it is made within 60 s of one
// processor and 200 MB, a search then takes 0.3 s, and a session that grew by 1 MB 0.1 s more.
func TestIndexIsSmallAndFast(t *testing.T) {
	x, files := index(t), sources(t)
	sessions := 12
	if large() {
		sessions = 1000
	}
	last := x.work(t, sessions, 1<<20, files)
	logs := folderSize(t, x.Sessions)
	once := func(query string) time.Duration {
		begin := spent.CPU(t)
		if found := x.ask(t, query, Options{Most: 20}); len(found.Hits) == 0 {
			t.Errorf("%q finds nothing", query)
		}
		return spent.CPU(t) - begin
	}
	// took is the least of several times: what else runs costs this program time too.
	took := func(query string) time.Duration { return min(once(query), once(query), once(query)) }
	stop := watchMemory()
	first := once("please")
	most := stop()
	size := folderSize(t, x.Folder)
	again, common, phrase := took("unmarshal"), took("func return error string fails"), took(`"why it fails"`)
	grown := time.Hour
	for i := range 3 {
		last.work(rand.New(rand.NewSource(8+int64(i))), 1<<20, files)
		grown = min(grown, once("unmarshal"))
	}
	t.Logf("%d MB of records: index of %.1f %%, first search %v with %d MB, then %v, common words %v, a phrase %v, grown by 1 MB %v",
		logs>>20, 100*float64(size)/float64(logs), first, most>>20, again, common, phrase, grown)
	if size*10 > logs {
		t.Errorf("the index has %d bytes for %d of records", size, logs)
	}
	const busy = 2 // a processor whose caches others use too takes up to twice as long
	if large() && (first > busy*60*time.Second || most > 200<<20 || again > busy*300*time.Millisecond || common > busy*300*time.Millisecond || grown > again+busy*100*time.Millisecond) {
		t.Error("that is too slow, or takes too much memory")
	}
}

// watchMemory returns a function that returns the most memory that the heap has taken meanwhile.
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
