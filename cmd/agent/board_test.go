package main

import (
	"encoding/json"
	"os/exec"
	"strings"
	"testing"

	"agent/internal/streamjson"
)

// boardRows runs agent board --json and returns its rows.
func boardRows(t *testing.T, board *exec.Cmd) (rows []streamjson.SessionState) {
	t.Helper()
	out, err := board.Output()
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(out)) {
		var row streamjson.SessionState
		if err := json.Unmarshal([]byte(line), &row); err != nil {
			t.Fatal(err)
		}
		rows = append(rows, row)
	}
	return rows
}
