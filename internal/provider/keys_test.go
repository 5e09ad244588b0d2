package provider

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"agent/internal/testing/require"
)

// Without a keyring, API keys are stored in files that only their owner can read.
func TestKeysInFiles(t *testing.T) {
	t.Parallel()
	keys := Keys{Folder: filepath.Join(t.TempDir(), "keys")}
	if key, where := keys.Get("api.x.ai"); key != "" || where != "" {
		t.Fatalf("%q in %q", string(key), where)
	}
	if _, err := keys.Set("api.x.ai", "sk-one"); err != nil {
		t.Fatal(err)
	}
	where, err := keys.Set("127.0.0.1:8000", "sk-two")
	if err != nil {
		t.Fatal(err)
	}
	require.Mode(t, where, 0o600)
	if key, from := keys.Get("127.0.0.1:8000"); key != "sk-two" || from != where {
		t.Errorf("%q in %q", string(key), from)
	}
	if _, err := keys.Set("h", "two words"); err == nil || strings.Contains(err.Error(), "two words") {
		t.Errorf("not a key: %v", err)
	}
	if found, err := keys.Delete("api.x.ai"); !found || err != nil {
		t.Errorf("deleted: %t, %v", found, err)
	}
	if found, err := keys.Delete("api.x.ai"); found || err != nil {
		t.Errorf("deleted twice: %t, %v", found, err)
	}
	if key, _ := keys.Get("127.0.0.1:8000"); key != "sk-two" {
		t.Error("another host's key is gone")
	}
}

// An API key that a killed writer left behind is removed when another key is stored or the key is
// deleted.
func TestKeysOfKilledWritersGo(t *testing.T) {
	t.Parallel()
	for name, act := range map[string]func(Keys) error{
		"set":    func(k Keys) error { _, err := k.Set("openrouter.ai", "sk-two"); return err },
		"delete": func(k Keys) error { _, err := k.Delete("openrouter.ai"); return err },
	} {
		keys := Keys{Folder: t.TempDir()}
		left := filepath.Join(keys.Folder, ".openrouter.ai.ABCDEFGH.tmp")
		other := filepath.Join(keys.Folder, ".api.x.ai.ABCDEFGH.tmp")
		for _, file := range []string{left, other} {
			if err := os.WriteFile(file, []byte("sk-one\n"), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if err := act(keys); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := os.Lstat(left); err == nil {
			t.Errorf("%s leaves the key of a killed writer", name)
		}
		if _, err := os.Lstat(other); err != nil {
			t.Errorf("%s: the file of another key is gone", name)
		}
	}
}

// The owners of listening sockets are read from the kernel's table, by port.
func TestListeners(t *testing.T) {
	t.Parallel()
	const table = `  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:2CAA 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 1 1 0 100 0 0 10 0
   1: 00000000:2CAA 00000000:0000 0A 00000000:00000000 00:00000000 00000000   998        0 2 1 0 100 0 0 10 0
   2: 0100007F:2CAA 0100007F:9999 01 00000000:00000000 00:00000000 00000000     7        0 3 1 0 100 0 0 10 0
   3: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 4 1 0 100 0 0 10 0
   broken
`
	for port, want := range map[int][]int{11434: {1000, 998}, 8080: {0}, 1234: nil} {
		if got := listeners(strings.NewReader(table), port); !slices.Equal(got, want) {
			t.Errorf("port %d: %v, want %v", port, got, want)
		}
	}
}
