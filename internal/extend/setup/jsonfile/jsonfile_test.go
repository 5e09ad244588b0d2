package jsonfile

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
)

// Concurrent changes are all kept, and no other file remains in the folder.
func TestEditAtTheSameTime(t *testing.T) {
	t.Parallel()
	const all = 8
	folder := filepath.Join(t.TempDir(), "new")
	file := filepath.Join(folder, ".mcp.json")
	begin := make(chan struct{})
	var done sync.WaitGroup
	for i := range all {
		done.Go(func() {
			<-begin
			err := Edit(File{Path: file}, func([]byte) ([]Step, error) {
				return []Step{{Op: "add", Path: fmt.Sprint("/m", i), Value: i}}, nil
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	close(begin)
	done.Wait()
	data, err := os.ReadFile(file)
	members := map[string]int{}
	if err := errors.Join(err, json.Unmarshal(data, &members)); err != nil || len(members) != all {
		t.Errorf("%d of %d changes are kept: %s, %v", len(members), all, data, err)
	}
	if entries, err := os.ReadDir(folder); err != nil || len(entries) != 1 {
		t.Errorf("the folder has %v, %v", entries, err)
	}
}
