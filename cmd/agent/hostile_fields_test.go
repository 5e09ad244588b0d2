package main

import (
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"agent/internal/testing/llmtest"
)

// hostileFields are answers of an endpoint, by the name of the field that contains the text.
var hostileFields = map[string]func(text string) llmtest.Turn{
	"text":         func(text string) llmtest.Turn { return llmtest.Say(text) },
	"reasoning":    func(text string) llmtest.Turn { return llmtest.Think(text).Say("x") },
	"id of a call": func(text string) llmtest.Turn { return llmtest.Turn{}.CallID(text, "read_file", `{"file_path":"a"}`) },
	"name of a call": func(text string) llmtest.Turn {
		return llmtest.Turn{}.CallID("c", text, `{"file_path":"a"}`)
	},
	"argument": func(text string) llmtest.Turn { return llmtest.Call("read_file", `{"file_path":`+quoted(text)+`}`) },
	"arguments without JSON": func(text string) llmtest.Turn {
		return llmtest.Call("read_file", text)
	},
	"title of an agent": func(text string) llmtest.Turn {
		return llmtest.Call("task", `{"agent":"explore","title":`+quoted(text)+`,"task":"look"}`)
	},
	"task of an agent": func(text string) llmtest.Turn {
		return llmtest.Call("task", `{"agent":"explore","title":"x","task":`+quoted(text)+`}`)
	},
	"todo": func(text string) llmtest.Turn {
		return llmtest.Call("todo_write", `{"todos":[{"content":`+quoted(text)+`,"status":"pending"}]}`)
	},
	"command": func(text string) llmtest.Turn {
		return llmtest.Call("run_shell_command", `{"command":`+quoted("echo '"+text+"'")+`,"description":`+quoted(text)+`}`)
	},
	"reason of the end": func(text string) llmtest.Turn { return llmtest.Say("x").Finish(text) },
	"id and model": func(text string) llmtest.Turn {
		return llmtest.Turn{}.Event(`{"id":` + quoted(text) + `,"model":` + quoted(text) + `,"system_fingerprint":` + quoted(text) + `,"choices":[{"index":0,"delta":{"content":"x"}}]}`)
	},
	"source of a search": func(text string) llmtest.Turn {
		return llmtest.Turn{}.Event(`{"choices":[{"index":0,"delta":{"content":"x","annotations":[{"type":"url_citation","url_citation":{"url":` + quoted(text) + `,"title":` + quoted(text) + `}}]}}]}`)
	},
	"error in the stream": func(text string) llmtest.Turn {
		return llmtest.Turn{}.Event(`{"error":{"message":` + quoted(text) + `,"code":` + quoted(text) + `,"type":` + quoted(text) + `,"metadata":{"raw":` + quoted(text) + `}}}`)
	},
	"error": func(text string) llmtest.Turn {
		return llmtest.Fail(http.StatusBadRequest, `{"error":{"message":`+quoted(text)+`,"code":`+quoted(text)+`,"type":`+quoted(text)+`}}`)
	},
	"error without JSON": func(text string) llmtest.Turn { return llmtest.Fail(http.StatusTeapot, text) },
	"headers": func(text string) llmtest.Turn {
		header := strings.NewReplacer("\r", "", "\n", "", "\x00", "").Replace(text)
		return llmtest.Fail(http.StatusBadRequest, `{}`, "X-Request-Id", header, "Server", header, "Location", header)
	},
}

// quoted returns a text as JSON.
func quoted(text string) string {
	encoded, _ := json.Marshal(text)
	return string(encoded)
}

// An endpoint may fill any field of its answers with the key that it received, with escape
// sequences, and with very long text. The key is then in no file and in no span. The terminal that
// shows the log obeys no sequence, and log and spans stay small.
func TestHostileFieldsInFilesAndSpans(t *testing.T) {
	t.Parallel()
	keys := strings.Join(sentKeys, " ")
	texts := []string{keys, "a " + keys + hostile + keys + strings.Repeat(" long", 4000)}
	for name, turn := range hostileFields {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			home := t.TempDir()
			spans, collector := startCollector(t)
			var answers atomic.Int64
			server := llmtest.NewFunc(t, func(*llmtest.Request) llmtest.Turn {
				if n := int(answers.Add(1)); n <= len(texts) {
					return turn(texts[n-1])
				}
				return llmtest.Say("done")
			})
			if err := os.Mkdir(filepath.Join(home, "work"), 0o700); err != nil {
				t.Fatal(err)
			}
			for range texts { // a run ends at the first error
				hereOnTerminal(t, home, server.URL, []string{"OTEL_EXPORTER_OTLP_ENDPOINT=" + collector, "SERVICE_TOKEN=" + envSecret},
					"-m", "demo", "-p", "go", "--debug", "--approval-mode", "full-auto", "--set", "max-retries=0", "--set", "header.X-Api-Key="+headerSecret)
			}
			sent := spans()
			if sent == "" {
				t.Error("no span was sent")
			}
			wantHarmless(t, "the spans", sent)
			logged := false
			err := filepath.WalkDir(home, func(path string, entry fs.DirEntry, err error) error {
				if err != nil || !entry.Type().IsRegular() {
					return err
				}
				info, err := entry.Info()
				if err != nil {
					return err
				}
				content, err := os.ReadFile(path)
				if err != nil {
					return err
				}
				for _, key := range sentKeys {
					if at := strings.Index(string(content), key); at >= 0 {
						t.Errorf("%s holds a key: %s", path, content[max(0, at-80):at+len(key)])
					}
				}
				if info.Mode().Perm()&0o077 != 0 {
					t.Errorf("%s has the mode %v", path, info.Mode())
				}
				if filepath.Base(path) == "agent.log" {
					logged = true
					wantHarmless(t, path, string(content))
				}
				return nil
			})
			if err != nil || !logged {
				t.Errorf("there is a log: %t, %v", logged, err)
			}
		})
	}
}

// envSecret is the value of an environment variable of the user. headerSecret is the value of a
// header that only the connection treats as a key.
const envSecret, headerSecret = "env0sentinel1a2b3c4d", "header-sentinel"

// sentKeys are the keys that an endpoint puts into its answers.
var sentKeys = []string{secret, envSecret, headerSecret}

// wantHarmless reports an error if text from an endpoint is printed elsewhere with a key, an escape
// sequence or great length.
func wantHarmless(t *testing.T, where, text string) {
	t.Helper()
	for _, unwanted := range append([]string{"\x1b", `\u001b`, "\u202e", "\u009b"}, sentKeys...) {
		if at := strings.Index(text, unwanted); at >= 0 {
			t.Errorf("%s: %q in %q", where, unwanted, text[max(0, at-80):at+len(unwanted)])
		}
	}
	if len(text) > 20_000 {
		t.Errorf("%s: %d bytes", where, len(text))
	}
}

// startCollector starts a collector of spans. It returns its address, and a function that returns the
// received data.
func startCollector(t *testing.T) (got func() string, address string) {
	t.Helper()
	var mu sync.Mutex
	var all strings.Builder
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		mu.Lock()
		defer mu.Unlock()
		if all.Write(body); err != nil && !errors.Is(err, io.EOF) {
			t.Error(err)
		}
	}))
	t.Cleanup(server.Close)
	return func() string {
		mu.Lock()
		defer mu.Unlock()
		return all.String()
	}, server.URL
}
