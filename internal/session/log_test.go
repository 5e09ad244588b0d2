package session

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"agent/internal/base/fsutil"
	"agent/internal/history"
	"agent/internal/testing/require"
)

func TestFormat(t *testing.T) {
	t.Parallel()
	l := create(t, options(t))
	add(t, l, "if a < b && c")
	if err := errors.Join(l.RecordTodos(json.RawMessage("[ 1 ]")), l.RecordSetting("theme", "dark"), l.RecordNotice("n"),
		l.Observe(history.Mutation{Kind: history.MutationCleared})); err != nil {
		t.Fatal(err)
	}
	closeLog(t, l)
	data, err := os.ReadFile(l.Path())
	if err != nil {
		t.Fatal(err)
	}
	want := `{"v":1,"seq":1,"ts":"2026-11-21T09:30:02Z","type":"session","prev":"","payload":{"id":"` + l.ID() + `","workspace":"/home/a/project","pid":4711,"format":2,"acts":true}}
{"v":1,"seq":2,"ts":"2026-11-21T09:30:03Z","type":"entry","n":[1,1],"prev":"1153ced920fc0da98a1b1128105823ad","payload":{"speaker":"human","blocks":[{"type":"text","text":"if a < b && c"}]}}
{"v":1,"seq":3,"ts":"2026-11-21T09:30:04Z","type":"todo","prev":"ce51bf13087c19a7c39bc53620f36c07","payload":[1]}
{"v":1,"seq":4,"ts":"2026-11-21T09:30:05Z","type":"setting","prev":"7c10f727ce55427672f2c25973794786","payload":{"key":"theme","value":"dark"}}
{"v":1,"seq":5,"ts":"2026-11-21T09:30:06Z","type":"notice","prev":"a099f36011d7cc8ab105896564fb71de","payload":{"text":"n"}}
{"v":1,"seq":6,"ts":"2026-11-21T09:30:07Z","type":"clear","prev":"65ff8e7d81c3d4bf8a50629835b200d8","payload":{}}
`
	if diff := cmp.Diff(want, string(data)); diff != "" {
		t.Errorf("log (-want +got):\n%s", diff)
	}
}

// A compression refers to entries in the log instead of writing them again.
func TestCompressionRecordsOnlyNewEntries(t *testing.T) {
	t.Parallel()
	l := create(t, options(t))
	a, b := history.HumanText("first"), history.HumanText("second")
	summary := history.HumanText("summary")
	for _, m := range []history.Mutation{
		{Kind: history.MutationAdded, Entry: a},
		{Kind: history.MutationAdded, Entry: b},
		{Kind: history.MutationReplaced, Cause: "middle-out", Entries: []*history.Content{summary, b}},
	} {
		if err := l.Observe(m); err != nil {
			t.Fatal(err)
		}
	}
	closeLog(t, l)
	data, err := os.ReadFile(l.Path())
	if err != nil {
		t.Fatal(err)
	}
	if n := bytes.Count(data, []byte("second")); n != 1 {
		t.Errorf("the entry that was kept is written %d times", n)
	}
	wantEntries(t, replayFile(t, l.Path()).Entries, []*history.Content{summary, b})
}

func TestFilesAreTheOwnersOnly(t *testing.T) {
	require.Permissions(t)
	t.Parallel()
	o := options(t)
	o.Dir = filepath.Join(o.Dir, "sessions")
	l := create(t, o)
	defer closeLog(t, l)
	add(t, l, "a")
	for path, want := range map[string]os.FileMode{l.Path(): 0o600, filepath.Dir(l.Path()): 0o700, o.Dir: 0o700} {
		info, err := os.Stat(path)
		if err != nil || info.Mode().Perm() != want {
			t.Errorf("%s has mode %v, want %v (%v)", path, info.Mode().Perm(), want, err)
		}
	}
}

func TestIDsSortByTimeAndNeverCollide(t *testing.T) {
	t.Parallel()
	o := options(t)
	first := create(t, o)
	defer closeLog(t, first)
	add(t, first, "a")
	if !regexp.MustCompile(`^20261121-093001-[a-z2-7]{5}$`).MatchString(first.ID()) {
		t.Errorf("id %s", first.ID())
	}
	later := create(t, o)
	defer closeLog(t, later)
	if later.ID() <= first.ID() {
		t.Errorf("%s does not sort after %s", later.ID(), first.ID())
	}
	// With the same second and the same random numbers, the next numbers are used.
	again := options(t)
	again.Dir = o.Dir
	other := create(t, again)
	defer closeLog(t, other)
	if other.ID() == first.ID() {
		t.Errorf("two sessions are called %s", first.ID())
	}
}

// The empty log of a killed program is removed when the next session starts. All other files stay.
func TestSweep(t *testing.T) {
	t.Parallel()
	o := options(t)
	folder := filepath.Join(o.Dir, folderName(o.Workspace))
	if err := os.MkdirAll(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	l := create(t, o)
	defer closeLog(t, l)
	add(t, l, "in use")
	for name, text := range map[string]string{
		"empty.jsonl": "", "opened.jsonl": lines(opening), "torn.jsonl": lines(opening)[:40], "told.jsonl": lines(opening, `"type":"notice","payload":{"text":"n"}`),
		"said.jsonl": lines(opening, entryA), "damaged.jsonl": lines(opening) + "x\n", "cleared.jsonl": lines(opening, `"type":"clear","payload":{}`),
		"newer.jsonl": strings.Replace(lines(opening), `"v":1`, `"v":9`, 1), "foreign.jsonl": "precious\n", "note.txt": "",
	} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	left := func(now time.Time) string {
		sweep(folder, now)
		var names []string
		files, err := os.ReadDir(folder)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			if file.Name() != filepath.Base(l.Path()) {
				names = append(names, file.Name())
			}
		}
		return strings.Join(names, " ")
	}
	if got := left(time.Now()); !strings.Contains(got, "empty.jsonl") {
		t.Errorf("what another program has just made is gone: %s left", got)
	}
	if got, want := left(time.Now().Add(time.Hour)), "cleared.jsonl damaged.jsonl foreign.jsonl newer.jsonl note.txt said.jsonl"; got != want {
		t.Errorf("%s are left, want %s", got, want)
	}
	if _, err := os.Stat(l.Path()); err != nil {
		t.Error("the session in use is gone")
	}
}

func TestEmptySessionLeavesNoFile(t *testing.T) {
	t.Parallel()
	l := create(t, options(t))
	if err := l.RecordNotice("welcome"); err != nil {
		t.Fatal(err)
	}
	// A program that is killed now does not leave a file either.
	if _, err := os.Stat(l.Path()); !os.IsNotExist(err) {
		t.Errorf("the file is there (%v)", err)
	}
	closeLog(t, l)
	if _, err := os.Stat(l.Path()); !os.IsNotExist(err) {
		t.Errorf("the file is there (%v)", err)
	}
}

// TestSecretsNeverReachTheLog checks that the log does not contain a key that a command prints.
func TestSecretsNeverReachTheLog(t *testing.T) {
	t.Parallel()
	l := create(t, options(t))
	l.Hide("sk-very-\"secret\"<1>")
	l.Hide("a") // too short to hide, because it would match everywhere
	add(t, l, `OPENAI_API_KEY=sk-very-"secret"<1> and a word`)
	closeLog(t, l)
	wantEntries(t, replayFile(t, l.Path()).Entries, []*history.Content{history.HumanText("OPENAI_API_KEY=[secret] and a word")})
}

func TestResume(t *testing.T) {
	t.Parallel()
	o := options(t)
	l := create(t, o)
	add(t, l, "a", "b")
	closeLog(t, l)
	l, state, err := Resume(l.Path(), o)
	if err != nil {
		t.Fatal(err)
	}
	if textsOf(state.Entries) != "a b" || len(state.Notices) > 0 || state.ID != l.ID() {
		t.Errorf("state %+v", state)
	}
	// Positions are still valid: the first entry is removed.
	err = l.Observe(history.Mutation{Kind: history.MutationDensity, Result: history.DensityResult{Removals: []int{0}}})
	if err != nil {
		t.Fatal(err)
	}
	add(t, l, "c")
	closeLog(t, l)
	if got := textsOf(replayFile(t, l.Path()).Entries); got != "b c" {
		t.Errorf("context %q", got)
	}
}

// Background commands end with the program that started them.
func TestResumedSessionsHaveNoJobs(t *testing.T) {
	t.Parallel()
	o := options(t)
	l := create(t, o)
	add(t, l, "a")
	must(t, l.RecordJob(Job{1, "serve"}, false))
	closeLog(t, l)
	if state := replayFile(t, l.Path()); len(state.Jobs) != 1 {
		t.Errorf("its own program has %v", state.Jobs)
	}
	l, _, err := Resume(l.Path(), o)
	if err != nil {
		t.Fatal(err)
	}
	add(t, l, "b")
	closeLog(t, l)
	if state := replayFile(t, l.Path()); len(state.Jobs) != 0 {
		t.Errorf("the next one has %v", state.Jobs)
	}
}

// A torn line is removed before new records are appended. A missing line break is added, so that
// the next record starts on a new line.
func TestResumeAfterACrash(t *testing.T) {
	t.Parallel()
	for name, tail := range map[string]string{
		"torn":              `{"v":1,"seq":3,"ts":"2026-11-2`,
		"without its break": `{"v":1,"seq":3,"ts":"2026-11-21T09:31:00Z",` + entryB + `}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := options(t)
			l := create(t, o)
			add(t, l, "a")
			closeLog(t, l)
			f, err := os.OpenFile(l.Path(), os.O_APPEND|os.O_WRONLY, 0)
			if err != nil {
				t.Fatal(err)
			}
			_, err = f.WriteString(tail)
			if err := errors.Join(err, f.Close()); err != nil {
				t.Fatal(err)
			}
			l, before, err := Resume(l.Path(), o)
			if err != nil {
				t.Fatal(err)
			}
			add(t, l, "c")
			closeLog(t, l)
			state := replayFile(t, l.Path())
			if got := textsOf(state.Entries); got != textsOf(before.Entries)+" c" || len(state.Notices) > 0 {
				t.Errorf("context %q, notices %q; before: %q", got, state.Notices, textsOf(before.Entries))
			}
		})
	}
}

func TestResumeRefusesOtherFiles(t *testing.T) {
	t.Parallel()
	o := options(t)
	path := filepath.Join(o.Dir, "x.jsonl")
	for _, text := range []string{"precious", `{"v":3,"seq":1,"ts":"2026-11-21T09:30:00Z","type":"session","payload":{}}` + "\n"} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, _, err := Resume(path, o); err == nil {
			t.Errorf("%q was resumed", text)
		}
		if data, err := os.ReadFile(path); err != nil || string(data) != text {
			t.Errorf("%q became %q (%v)", text, data, err)
		}
	}
	if _, _, err := Resume(filepath.Join(o.Dir, "missing.jsonl"), o); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a missing log gave %v", err)
	}
}

func TestSecondWriterLearnsTheOwner(t *testing.T) {
	t.Parallel()
	o := options(t)
	l := create(t, o)
	add(t, l, "a")
	other := o
	other.PID = 1
	_, _, err := Resume(l.Path(), other)
	held := (*LockedError)(nil)
	if !errors.As(err, &held) || held.PID != o.PID || held.ID != l.ID() || held.Since.IsZero() || !strings.Contains(err.Error(), "process 4711 since 2026-11-21") || !strings.Contains(err.Error(), "agent attach "+l.ID()+" (") {
		t.Errorf("error %v", err)
	}
	if err := Delete(l.Path()); !errors.As(err, &held) {
		t.Errorf("deleting it gave %v", err)
	}
	closeLog(t, l)
	second, _, err := Resume(l.Path(), other)
	if err != nil {
		t.Fatal(err)
	}
	_, _, err = Resume(l.Path(), o)
	if !errors.As(err, &held) || held.PID != 1 {
		t.Errorf("error %v", err)
	}
	closeLog(t, second)
	if err := Delete(l.Path()); err != nil {
		t.Error(err)
	}
}

// faultyFile is a file with simulated errors.
type faultyFile struct {
	*os.File
	room        int // the remaining bytes of the disk
	syncErr     error
	truncateErr error
	synced      bool
}

func (w *faultyFile) Write(data []byte) (int, error) {
	w.synced = false
	if len(data) > w.room {
		n, _ := w.File.Write(data[:w.room])
		w.room = 0
		return n, &os.PathError{Op: "write", Path: "x", Err: syscall.ENOSPC}
	}
	w.room -= len(data)
	return w.File.Write(data)
}

func (w *faultyFile) Sync() error { w.synced = w.syncErr == nil; return w.syncErr }

func (w *faultyFile) Truncate(size int64) error {
	if w.truncateErr != nil {
		return w.truncateErr
	}
	return w.File.Truncate(size)
}

func weaken(l *Log) *faultyFile {
	w := &faultyFile{room: 1 << 20}
	open := l.disk.open
	l.disk.open = func() (file, error) {
		out, err := open()
		if err != nil {
			return nil, err
		}
		w.File = out.(*os.File)
		return w, nil
	}
	if l.disk.out != nil {
		w.File, l.disk.out = l.disk.out.(*os.File), w
	}
	return w
}

func TestARecordIsOnDiskBeforeTheMutationCounts(t *testing.T) {
	t.Parallel()
	l := create(t, options(t))
	defer closeLog(t, l)
	w := weaken(l)
	add(t, l, "a")
	if !w.synced {
		t.Error("the record was not forced to disk")
	}
}

// If a new log file was created but an error occurred afterwards, and it could not be removed
// either, the next attempt uses the file.
func TestFileOfAFailedAttemptIsUsed(t *testing.T) {
	t.Parallel()
	l := create(t, options(t))
	create, path := l.disk.open, l.Path()
	l.disk.open = func() (file, error) {
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		l.disk.left, l.disk.open = true, create
		return nil, syscall.EIO
	}
	add(t, l, "a")
	if l.CheckSaved() == nil {
		t.Error("it counts as saved")
	}
	add(t, l, "b")
	if err := l.CheckSaved(); err != nil {
		t.Error(err)
	}
	if _, _, err := Resume(path, options(t)); err == nil {
		t.Error("nobody holds the session")
	}
	closeLog(t, l)
	if state := replayFile(t, path); textsOf(state.Entries) != "a b" {
		t.Errorf("on disk is %q", textsOf(state.Entries))
	}
}

// TestDiskFull checks that records that cannot be written are kept, and then written completely,
// once and in order.
func TestDiskFull(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name  string
		fail  func(*faultyFile)
		mend  func(*faultyFile)
		clean bool // the log contains no trace of the error
	}{
		{"no room at all", func(w *faultyFile) { w.room = 0 }, func(w *faultyFile) { w.room = 1 << 20 }, true},
		{"room for a part", func(w *faultyFile) { w.room = 30 }, func(w *faultyFile) { w.room = 1 << 20 }, true},
		{"the disk refuses", func(w *faultyFile) { w.syncErr = syscall.EIO }, func(w *faultyFile) { w.syncErr = nil }, true},
		{
			"a part that cannot be taken back", func(w *faultyFile) { w.room, w.truncateErr = 30, syscall.EIO },
			func(w *faultyFile) { w.room, w.truncateErr = 1<<20, nil }, false,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			o := options(t)
			l := create(t, o)
			w := weaken(l)
			h := newHistory(l.Observe)
			if err := h.Add(history.HumanText("a")); err != nil {
				t.Fatal(err)
			}
			test.fail(w)
			for i, text := range []string{"b", "c"} {
				if err := h.Add(history.HumanText(text)); err != nil {
					t.Fatalf("the conversation ends with %v", err)
				}
				err := l.CheckSaved()
				unsaved := (*UnsavedError)(nil)
				if !errors.As(err, &unsaved) || unsaved.Records != i+1 || !strings.Contains(err.Error(), l.Path()) {
					t.Fatalf("unsaved is %v", err)
				}
			}
			if got := textsOf(replayFile(t, l.Path()).Entries); got != "a" {
				t.Errorf("on disk is %q", got)
			}
			test.mend(w)
			if err := errors.Join(h.Add(history.HumanText("d")), l.CheckSaved()); err != nil {
				t.Fatal(err)
			}
			closeLog(t, l)
			state := replayFile(t, l.Path())
			wantEntries(t, state.Entries, h.RawHistory())
			if clean := len(state.Notices) == 0; clean != test.clean {
				t.Errorf("notices %q", state.Notices)
			}
		})
	}
}

// Close reports the lost records, and removes an empty file.
func TestCloseReportsLostRecords(t *testing.T) {
	t.Parallel()
	l := create(t, options(t))
	weaken(l).room = 0
	add(t, l, "a")
	err := l.Close()
	if unsaved := (*UnsavedError)(nil); !errors.As(err, &unsaved) || unsaved.Records != 2 {
		t.Errorf("error %v", err)
	}
	if _, err := os.Stat(l.Path()); !os.IsNotExist(err) {
		t.Errorf("the file is there (%v)", err)
	}
}

// A folder that cannot be created is handled like a full disk. The waiting records are written when
// it can be created.
func TestNoPlaceForSessions(t *testing.T) {
	t.Parallel()
	o := options(t)
	o.Dir = filepath.Join(o.Dir, "sessions")
	if err := os.WriteFile(o.Dir, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	l := create(t, o)
	add(t, l, "a")
	if l.CheckSaved() == nil {
		t.Error("it counts as saved")
	}
	if err := os.Remove(o.Dir); err != nil {
		t.Fatal(err)
	}
	add(t, l, "b")
	closeLog(t, l)
	if got := textsOf(replayFile(t, l.Path()).Entries); got != "a b" {
		t.Errorf("on disk is %q", got)
	}
}

// A session can be resumed on a full disk. New records wait in memory.
func TestResumeOnAFullDisk(t *testing.T) {
	t.Parallel()
	o := options(t)
	l := create(t, o)
	add(t, l, "a")
	closeLog(t, l)
	path := l.Path()
	if err := os.Chmod(path, 0o400); err != nil {
		t.Fatal(err)
	}
	l, state, err := Resume(path, o)
	if err != nil || textsOf(state.Entries) != "a" {
		t.Fatalf("%q, %v", textsOf(state.Entries), err)
	}
	if l.disk.out != nil {
		must(t, l.disk.out.Close())
	}
	l.disk.out = nil
	l.disk.open = func() (file, error) { return nil, syscall.ENOSPC }
	add(t, l, "b")
	if l.CheckSaved() == nil {
		t.Error("it counts as saved")
	}
	l.disk.open = l.reopen
	if err := os.Chmod(path, 0o600); err != nil {
		t.Fatal(err)
	}
	closeLog(t, l)
	if state := replayFile(t, path); textsOf(state.Entries) != "a b" || len(state.Notices) > 0 {
		t.Errorf("on disk is %q, notices %q", textsOf(state.Entries), state.Notices)
	}
}

func TestCloseWritesWaitingRecords(t *testing.T) {
	t.Parallel()
	l := create(t, options(t))
	w := weaken(l)
	w.room = 0
	add(t, l, "a")
	if l.CheckSaved() == nil {
		t.Fatal("it counts as saved")
	}
	w.room = 1 << 20
	closeLog(t, l)
	if got := textsOf(replayFile(t, l.Path()).Entries); got != "a" {
		t.Errorf("on disk is %q", got)
	}
}

func TestAHistoryThatIsNotTheRecordedOneIsNoticed(t *testing.T) {
	t.Parallel()
	l := create(t, options(t))
	add(t, l, "a")
	err := l.Observe(history.Mutation{Kind: history.MutationDensity, Result: history.DensityResult{Removals: []int{1}}})
	if !errors.Is(err, errOutOfStep) {
		t.Errorf("error %v", err)
	}
	closeLog(t, l)
	if got := textsOf(replayFile(t, l.Path()).Entries); got != "a" {
		t.Errorf("on disk is %q", got)
	}
}

// Checking whether a session is in use does not block a start of the session or another check.
func TestLockChecksDoNotBlock(t *testing.T) {
	t.Parallel()
	o := options(t)
	l := create(t, o)
	add(t, l, "a")
	path := l.Path()
	closeLog(t, l)
	look := fsutil.NewFileLock(path)
	if locked, err := look.TryRLock(); err != nil || !locked {
		t.Fatal(locked, err)
	}
	if err := CheckAvailable(path); err != nil {
		t.Errorf("during another look: %v", err)
	}
	if err := look.Close(); err != nil {
		t.Fatal(err)
	}
	for range 30 {
		var looks sync.WaitGroup
		looks.Go(func() { _ = LockHolder(path) })
		l, _, err := Resume(path, o)
		looks.Wait()
		if err != nil {
			t.Fatalf("a look kept a session from its start: %v", err)
		}
		closeLog(t, l)
	}
}

// The file that reserves an id is removed if the session has no messages.
func TestReservedIDIsReleased(t *testing.T) {
	t.Parallel()
	o := options(t)
	o.ID = "job-1"
	l := create(t, o)
	if _, err := os.Stat(l.Path()); err != nil {
		t.Error(err)
	}
	closeLog(t, l)
	if _, err := os.Stat(l.Path()); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("left behind: %v", err)
	}
}
