package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"time"

	"agent/internal/testing/llmtest"
)

// Whatever an editor sends while an approval prompt is open, the connection survives and no call is
// allowed.
func TestEditorSurvivesMutatedLines(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	calls := []llmtest.Turn{llmtest.Call("write_file", `{"file_path":"allowed","content":"x"}`)}
	for i := range 600 {
		calls = append(calls, llmtest.Call("write_file", fmt.Sprintf(`{"file_path":"refused-%d","content":"x"}`, i)))
	}
	e := startEditor(t, t.TempDir(), calls...)
	session := e.start(folder)
	e.prompt(session, "go")
	question := func() string {
		for {
			if m := e.next(); m.Method == "session/request_permission" {
				return string(m.ID)
			}
		}
	}
	e.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, question(), allowOnce("")))
	open := question()
	for _, no := range noAnswers {
		e.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":"someone-else","result":%s}`, allowOnce("")))
		e.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,%s}`, open, no))
		open = question()
	}
	random := rand.New(rand.NewPCG(1, 2))
	seeds := []string{
		fmt.Sprintf(`{"jsonrpc":"2.0","id":"x7","method":"session/prompt","params":{"sessionId":%q,"prompt":[{"type":"text","text":"go"}]}}`, session),
		fmt.Sprintf(`{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":%q}}`, session),
		fmt.Sprintf(`{"jsonrpc":"2.0","id":"x7","method":"session/load","params":{"sessionId":%q,"cwd":%q,"mcpServers":[]}}`, session, folder),
		fmt.Sprintf(`{"jsonrpc":"2.0","id":"x7","method":"session/set_mode","params":{"sessionId":%q,"modeId":"ask"}}`, session),
		fmt.Sprintf(`{"jsonrpc":"2.0","id":"x7","method":"session/set_config_option","params":{"sessionId":%q,"configId":"mode","value":"ask"}}`, session),
		`{"jsonrpc":"2.0","id":"x7","method":"session/list","params":{"cwd":"/w","cursor":"x"}}`,
		`{"jsonrpc":"2.0","id":"someone-else","result":{"outcome":{"outcome":"selected","optionId":"allow"}}}`,
		fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"outcome":{"outcome":"selected","optionId":"nothing"}}}`, open),
		fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"outcome":{"outcome":"none","optionId":"allow"}}}`, open),
		`{"jsonrpc":"2.0","id":"x7","method":"initialize","params":{"protocolVersion":1,"clientCapabilities":{"fs":{"readTextFile":true}}}}`,
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for e.from.Scan() {
			e.lines = append(e.lines, e.from.Text())
			if strings.Contains(e.from.Text(), `"id":"the end"`) {
				return
			}
		}
	}()
	const mutations = 10_000
	for range mutations {
		e.send(strings.ReplaceAll(mutate(random, seeds[random.IntN(len(seeds))]), "session/delete", "x"))
	}
	e.send(`{"jsonrpc":"2.0","id":"the end","method":"no/such"}`)
	select {
	case <-done:
	case <-time.After(time.Minute):
		t.Fatal("no answer after the mutated lines")
	}
	if left, err := os.ReadDir(folder); err != nil || len(left) != 1 || left[0].Name() != "allowed" {
		t.Errorf("something else was allowed: %v, %v", left, err)
	}
}

// noAnswers has the ends of lines that answer an approval prompt without a clear yes.
var noAnswers = []string{
	`"result":{"outcome":{"outcome":"selected","optionId":"nothing"}}`,
	`"result":{"outcome":{"outcome":"selected","optionId":""}}`,
	`"result":{"outcome":{"outcome":"selected","optionId":["allow"]}}`,
	`"result":{"outcome":{"outcome":"selected"}}`,
	`"result":{"outcome":{"outcome":"cancelled","optionId":"allow"}}`,
	`"result":{"outcome":{"outcome":"","optionId":"allow"}}`,
	`"result":{"outcome":{"optionId":"always"}}`,
	`"result":{"outcome":{"outcome":true,"optionId":"allow"}}`,
	`"result":{"outcome":"allow"}`,
	`"result":{"optionId":"allow"}`,
	`"result":"allow"`,
	`"result":null`,
	`"error":{"code":-32603,"message":"allow"},"result":{"outcome":{"outcome":"selected","optionId":"allow"}}`,
	`"error":{"code":-32000,"message":"allow"}`,
}

// mutate changes a line in one to four places.
func mutate(random *rand.Rand, seed string) string {
	line := []byte(seed)
	for range 1 + random.IntN(4) {
		switch at := random.IntN(len(line)); random.IntN(3) {
		case 0:
			line[at] = byte(32 + random.IntN(95))
		case 1:
			line = append(line[:at], line[min(len(line), at+random.IntN(5)):]...)
		default:
			line = append(line[:at], append([]byte(`{"`), line[at:]...)...)
		}
		if len(line) == 0 {
			line = []byte("{}")
		}
	}
	return string(line)
}
