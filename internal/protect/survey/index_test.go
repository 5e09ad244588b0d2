package survey

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A name is found wherever in a large index it stands, also where one part that is read
// ends and the next begins.
func TestTrackedAcrossParts(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	if err := os.Mkdir(filepath.Join(root, gitFolder), 0o700); err != nil {
		t.Fatal(err)
	}
	const file = "deep/in/here/.env"
	entry := binary.BigEndian.AppendUint16(nil, uint16(len(file)))
	entry = append(append(entry, file...), 0)
	for before := readAtOnce - 2*len(entry); before < readAtOnce+2*len(entry); before++ {
		content := "DIRC\x00\x00\x00\x02" + strings.Repeat("x", before) + string(entry) + strings.Repeat("y", 10)
		if err := os.WriteFile(filepath.Join(root, gitFolder, "index"), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		known := tracked(root, []string{file, "here/.env", "other/.env", "deep/in/a/longer/path/than/that/.env"})
		if !known[file] || len(known) != 1 {
			t.Fatalf("after %d bytes: %v", before, known)
		}
	}
}
