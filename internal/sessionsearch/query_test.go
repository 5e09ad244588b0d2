package sessionsearch

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"agent/internal/history"
)

func TestParseQuery(t *testing.T) {
	t.Parallel()
	for text, wrong := range map[string]string{
		"": "no words to search for", " ... -- !": "no words to search for", "-only": "no words to search for", `""`: "no words to search for", "after:2026-01-01": "no words to search for",
		"x before:soon": `invalid date "soon"`, strings.Repeat("a", 401): "use at most 400",
		"x": "", `"open end`: "", "path:a.go": "", "tool:grep": "", "a:b": "", "x after:2026-01-02T03:04": "",
	} {
		_, err := ParseQuery(text, start)
		if (err == nil) != (wrong == "") || err != nil && !strings.Contains(err.Error(), wrong) {
			t.Errorf("%q: %v", text, err)
		}
	}
	for text, plain := range map[string]bool{`func.*\(`: true, "a|b": true, "[a-z]": false, "foo.bar": false, "what?": false} {
		if q, err := ParseQuery(text, start); err != nil || q.Plain != plain {
			t.Errorf("%q: plain %v, %v", text, q.Plain, err)
		}
	}
}

func TestPassage(t *testing.T) {
	t.Parallel()
	filler := strings.Repeat("nothing of interest here. ", 30)
	for _, c := range []struct{ query, text, want string }{
		{"port", "The port\tis \x1b[31mopen\nnow", "The «port» is ␛[31mopen now"},
		{"port open", filler + "the port and then it is open. " + filler, "… of interest here. nothing of interest here. the «port» and then it is «open». nothing of interest here."},
		{"port open", "port " + filler + " open port", "… of interest here. nothing of interest here.  «open» «port»"},
		{`"port is"`, "port, port is", "«port», «port» «is»"},
		{"übung", "Die Übungen", "Die «Übungen»"},
	} {
		q, err := ParseQuery(c.query, start)
		if err != nil {
			t.Fatal(err)
		}
		got := q.passage(c.text).MarkedText()
		if want := strings.Join(strings.Fields(c.want), " "); !strings.HasPrefix(strings.Join(strings.Fields(got), " "), strings.TrimSuffix(want, "here.")) {
			t.Errorf("%q in a text of %d bytes: %q, want %q", c.query, len(c.text), got, want)
		}
	}
}

// No search finds a secret.
func TestASecretIsNotFound(t *testing.T) {
	t.Parallel()
	x := newSessions(t)
	r := x.record(t, "w0-abcd", "one", "/home/w0", start)
	secrets := []string{
		"sk-proj-0123456789abcdefghij", "ghp_0123456789abcdefABCDEF0123", "glpat-0123456789abcdefghij", "AKIA0123456789ABCDEF", "xoxb-0123456789-abcdefghij",
		"eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.c2lnbmF0dXJl", "hunter2hunter2", "MIIEvQIBADANBgkqhkiG9w0", "tr0ub4dor3xyz", "correcthorsebattery",
	}
	r.call("run_shell_command", "command", "curl -H 'Authorization: Bearer abcdefgh0123456789ijkl' https://user:hunter2hunter2@host/", strings.Join(secrets[:6], "\n"))
	r.call("read_file", "path", ".env", "API_KEY=tr0ub4dor3xyz\nDB_PASSWORD=correcthorsebattery\n-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0\n-----END PRIVATE KEY-----\nNAME=visible")
	r.line("entry", history.New(history.AI, &history.Text{Text: "the password: \"correcthorsebattery\" is in it"}))
	forms := []string{
		"ghp_%s", "gho_%s", "ghu_%s", "ghs_%s", "ghr_%s", "github_pat_%s", "glpat-%s", "sk-%s", "gsk_%s", "xai-%s", "nvapi-%s", "hf_%s", "npm_%s", "pypi-%s", "xoxb-%s", "dop_v1_%s", "AIza%s",
		"AKIA%s", "ASIA%s", "SG.%s", "rk_live_%s", "sk_live_%s", "postgres://u:%s@host/db", "x eyJ%[1]s.%[1]s", "bearer %s", "API_KEY=%s", "password: %s", `"client_secret": "%s"`, "DB_PASSWORD='%s'",
	}
	for i := range 60 {
		word := fmt.Sprintf("q%dz7a8b9c0d1e2f3g4", 100+i)
		r.say("it works with " + fmt.Sprintf(forms[i%len(forms)], word) + " since then")
		secrets = append(secrets, word)
	}
	if len(x.ask(t, "visible", Options{}).Hits) != 1 {
		t.Error("the text beside is not found")
	}
	for _, s := range append(secrets, "abcdefgh0123456789ijkl") {
		for _, word := range wordsOf(s) {
			if len(word) > 8 && len(x.ask(t, word, Options{}).Hits) > 0 {
				t.Errorf("%s is found", word)
			}
		}
	}
}

// Records of other programs are searched as far as they are complete. Images are not searched.
func TestOddRecords(t *testing.T) {
	t.Parallel()
	x := newSessions(t)
	if found := x.ask(t, "anything", Options{}); len(found.Hits) > 0 {
		t.Error("there are no sessions")
	}
	r := x.record(t, "w0-abcd", "one", "/home/w0", start)
	r.raw("no record\n{\"v\":1}\n\n")
	r.line("entry", history.New(history.Human, &history.Text{Text: "needle before"}, &history.Media{MimeType: "image/png", Data: strings.Repeat("needle", 1000)}))
	r.line("entry", history.New(history.AI, &history.Thinking{Thought: "needle in a thought"}))
	r.line("compression", map[string]any{"cause": "threshold", "history": []any{}})
	r.raw("\xff\xfe\n")
	r.say("needle after")
	r.raw(`{"v":1,"seq":9,"ts":"2026-11-01T09:00:00Z","type":"entry","payload":{"speaker":"human","blocks":[{"type":"text","text":"needle cut`)
	if err := os.Symlink(r.path, filepath.Join(x.Folder, "w0-abcd", "linked.jsonl")); err != nil {
		t.Fatal(err)
	}
	if got := hits(x.ask(t, "needle", Options{})); strings.Join(got, " ") != "one#5 1 one#2 1" {
		t.Errorf("%q", got)
	}
	places, err := x.Places(t.Context(), "one", nil)
	if err != nil || len(places) != 2 || places[0].Time.Sub(start) > time.Minute {
		t.Fatalf("%v, %v", places, err)
	}
	if entry, err := x.Read(places[1]); err != nil || entry.Text() != "needle after" {
		t.Errorf("%v, %v", entry, err)
	}
	if _, err := x.Places(t.Context(), "other", nil); err == nil {
		t.Error("a session that is not there has places")
	}
}
