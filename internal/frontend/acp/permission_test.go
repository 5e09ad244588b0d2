package acp

import (
	"encoding/base64"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"agent/internal/chat"
	"agent/internal/protect"
	"agent/internal/tools"
)

// The diffs for an editor list each changed file by its path, with the old and the new text of the
// changed regions.
func TestDiffs(t *testing.T) {
	t.Parallel()
	unified := "--- a/x.sql\n+++ a/x.sql\n@@ -1,2 +1,1 @@\n one\n--- old\n@@ -9,1 +8,1 @@\n-y\n\\ No newline at end of file\n+z\n\\ No newline at end of file\n" +
		"--- /dev/null\n+++ b/a/new\n@@ -0,0 +1,1 @@\n++++ n\n" +
		"--- b/gone\n+++ /dev/null\n@@ -1,1 +0,0 @@\n-g\n" +
		"--- \"l\\n@@\"\n+++ \"l\\n@@\"\n@@ -1,1 +1,1 @@\n-a\n+b\n" +
		"--- \"q\"\n+++ \"q\"\n@@ -1,1 +1,1 @@\n-a\n+b\n"
	want := `[{"type":"diff","path":"/w/a/x.sql","oldText":"one\n-- old\ny\n","newText":"one\nz\n"},` +
		`{"type":"diff","path":"/w/b/a/new","oldText":null,"newText":"+++ n\n"},` +
		`{"type":"diff","path":"/w/b/gone","oldText":"g\n","newText":""},` +
		`{"type":"diff","path":"/w/l\n@@","oldText":"a\n","newText":"b\n"},` +
		`{"type":"diff","path":"/w/\"q\"","oldText":"a\n","newText":"b\n"}]`
	got, err := json.Marshal(diffs(unified, func(path string) string { return "/w/" + path }))
	if err != nil || string(got) != want {
		t.Errorf("%s\nwant\n%s (%v)", got, want, err)
	}
	if got := diffs("", nil); got != nil {
		t.Errorf("of no change %v", got)
	}
}

// The text of an approval prompt contains no invisible characters.
func TestQuestionsAreVisible(t *testing.T) {
	t.Parallel()
	const odd = "a\u202eb\x1b[31m"
	content, err := json.Marshal((&shown{}).question(chat.Approval{Preview: tools.Preview{
		Command: odd, Directory: odd, Outside: odd, Remark: odd, Arguments: json.RawMessage(`"` + "a\u202eb" + `"`), Plan: odd, Note: odd,
		Served: &tools.ServerCall{Changed: odd}, Protected: []protect.File{{Path: odd, Why: odd}},
	}}))
	if err != nil || strings.Count(string(content), "U+202E") != 9 || strings.ContainsAny(string(content), "\u202e\x1b") || strings.Contains(string(content), `\u001b`) {
		t.Errorf("%s, %v", content, err)
	}
}

// An image in a prompt is stored in the folder of the conversation, and deleted with that folder.
func TestImageIsKeptWithTheConversation(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	image := contentBlock{Type: "image", MimeType: "image/png", Data: base64.StdEncoding.EncodeToString([]byte("png"))}
	message, err := messageOf([]contentBlock{image}, "/w", func() string { return folder })
	if err != nil || len(message) != 1 || filepath.Dir(message[0].Image) != folder {
		t.Fatalf("%+v, %v: want an image in %s", message, err, folder)
	}
	if kept, err := os.ReadFile(message[0].Image); err != nil || string(kept) != "png" {
		t.Errorf("%q, %v", kept, err)
	}
}
