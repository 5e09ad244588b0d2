package chat

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"agent/internal/gate"
	"agent/internal/history"
	"agent/internal/llm"
	"agent/internal/llm/openai"
	"agent/internal/llm/vendor"
	"agent/internal/testing/llmtest"
	"agent/internal/todo"
	"agent/internal/tools"
	"agent/internal/toolspec"
)

// toolCalls has a call of every tool. Each call is valid after the ones before it. Calls that need
// a network or a user get an error with the reason.
var toolCalls = []struct{ name, arguments string }{
	{"read_file", `{"file_path":"a.go"}`},
	{"read_line_range", `{"file_path":"a.go","start_line":1,"end_line":2}`},
	{"read_many_files", `{"paths":["a.go","b"]}`},
	{"ast_read_file", `{"file_path":"a.go","symbol":"F"}`},
	{"write_file", `{"file_path":"new","content":"« \"x\" »\n"}`},
	{"replace", `{"file_path":"b","old_string":"one","new_string":"two"}`},
	{"apply_patch", `{"input":"*** Begin Patch\n*** Update File: b\n@@\n-two\n+three\n*** End Patch"}`},
	{"ast_edit", `{"file_path":"a.go","symbol":"F","new_code":"func F() { G() }"}`},
	{"insert_at_line", `{"file_path":"b","line_number":1,"content":"head"}`},
	{"delete_line_range", `{"file_path":"b","start_line":1,"end_line":1}`},
	{"run_shell_command", `{"command":"echo hi"}`},
	{"search_file_content", `{"pattern":"three","context":1}`},
	{"glob", `{"pattern":"*.go"}`},
	{"web_fetch", `{"url":"http://127.0.0.1:1/"}`},
	{"todo_write", `{"todos":[{"id":"1","content":"x","status":"pending"}]}`},
	{"todo_read", `{}`},
	{"recall", `{}`},
	{"ask_user", asksWhich},
	{"present_plan", `{"plan":"1. do it"}`},
	{"list_directory", `{"path":"."}`},
}

// failingTools are the tools whose calls fail here.
var failingTools = []string{"web_fetch", "recall", "present_plan", "ask_user"}

// dialect is a wire format for declaring, calling and answering tools.
type dialect struct {
	llmtest.Vendor
	// free is set if apply_patch is offered as text with a grammar.
	free bool
	// lessons is the number of requests that the server refuses until the client has learned its
	// rules.
	lessons int
}

func dialects() []dialect {
	var all []dialect
	for _, v := range llmtest.Vendors() {
		all = append(all, dialect{Vendor: v, free: strings.HasPrefix(v.Name, "GPT")})
		if strings.HasPrefix(v.Name, "GPT") {
			all = append(all, dialect{Vendor: withoutGrammar(v), lessons: 1})
		}
	}
	plain := func(script llmtest.Script) llmtest.Script { return script }
	return append(all,
		dialect{Vendor: llmtest.Vendor{Name: "a plain server of chat completions", Host: "gateway.example.com", Model: "some-model", Strict: plain}},
		dialect{Vendor: llmtest.Vendor{Name: "GPT at a plain server", Host: "gateway.example.com", Model: "gpt-4.1", Strict: plain}},
	)
}

// withoutGrammar returns a server of the Responses API that accepts only functions as tools.
func withoutGrammar(v llmtest.Vendor) llmtest.Vendor {
	strict := v.Strict
	v.Name += " without grammars"
	v.Strict = func(script llmtest.Script) llmtest.Script {
		knowing := strict(script)
		return func(r *llmtest.Request) llmtest.Turn {
			if slices.ContainsFunc(r.Tools, func(t llmtest.Tool) bool { return t.Grammar != "" }) {
				return llmtest.Fail(400, `{"error":{"message":"Invalid value: 'custom'. Supported values are: 'function'."}}`)
			}
			return knowing(r)
		}
	}
	return v
}

// Every tool, offered or not, is declared, called and answered in every dialect. The server refuses
// no request, the call arrives unchanged, and later requests contain it.
func TestEveryToolInEveryDialect(t *testing.T) {
	t.Parallel()
	for _, d := range few(dialects()) {
		t.Run(d.Name, func(t *testing.T) {
			t.Parallel()
			asked := 0
			srv := llmtest.NewFunc(t, d.Strict(func(*llmtest.Request) llmtest.Turn {
				if asked == len(toolCalls) {
					return llmtest.Say("all done")
				}
				asked++
				return llmtest.Turn{}.CallID(fmt.Sprintf("call_%d", asked), toolCalls[asked-1].name, toolCalls[asked-1].arguments)
			}))
			form := toolspec.EditReplace
			if vendor.FamilyOf(d.Model).Patches {
				form = toolspec.EditPatch
			}
			b := d.bench(t, srv, form)
			if out, err := b.prompt("go"); err != nil || out.Response != "all done" {
				t.Fatalf("%+v, %v", out, err)
			}
			b.valid()
			if refused := len(srv.Requests()) - b.stats.Requests; refused != d.lessons {
				t.Errorf("%d requests were refused", refused)
			}
			b.checkOffers(t, d, srv.Requests(), form)
			b.checkCalls(t)
		})
	}
}

// bench is a conversation with the server of a dialect, with all tools over files.
func (d dialect) bench(t *testing.T, srv *llmtest.Server, form toolspec.EditFormat) workbench {
	b := newWorkbench(t, map[string]string{"a.go": "package a\n\nfunc F() {}\n\nfunc G() {}\n", "b": "one\n"})
	client := openai.NewClient(openai.Config{BaseURL: "http://" + d.Host + "/v1", Transport: srv.Transport()})
	b.at.provider = func() (llm.Provider, error) { return client, nil }
	b.config.Form = func() toolspec.EditFormat { return form }
	b.config.Env.Todos = todo.NewBoard(nil, nil)
	b.config.Policy = gate.Policy{Unattended: true}
	b.renew()
	b.set("model", d.Model)
	b.set("approval-mode", "full-auto")
	b.set("compression.density.readWritePruning", "false")
	b.set("tools", "all")
	b.Chat = New(b.config)
	return b
}

// checkOffers compares the declared tools of the requests with the expected ones.
func (b workbench) checkOffers(t *testing.T, d dialect, requests []*llmtest.Request, form toolspec.EditFormat) {
	t.Helper()
	var want []string
	for _, tool := range b.config.Tools.ToolsForFormat(form) {
		want = append(want, tool.Name)
	}
	last := requests[len(requests)-1]
	if got := last.ToolNames(); !slices.Equal(got, want) {
		t.Errorf("offered %q, want %q", got, want)
	}
	for _, tool := range last.Tools {
		if free := tool.Grammar != ""; free != (d.free && tool.Name == "apply_patch") {
			t.Errorf("%s is offered in free form: %t", tool.Name, free)
		}
	}
}

// checkCalls compares the recorded calls with the sent ones.
func (b workbench) checkCalls(t *testing.T) {
	t.Helper()
	n := 0
	for _, entry := range b.config.History.RawHistory() {
		for _, block := range entry.Blocks {
			switch block := block.(type) {
			case *history.ToolCall:
				if want := toolCalls[n]; block.Name != want.name || string(block.Parameters) != want.arguments {
					t.Errorf("call %d is %s %s", n, block.Name, block.Parameters)
				}
				n++
			case *history.ToolResponse:
				if fails := slices.Contains(failingTools, block.ToolName); (block.Error != "") != fails || strings.Contains(block.Error, "unknown") {
					t.Errorf("%s: %q %q", block.ToolName, block.Result.Text(), block.Error)
				}
			}
		}
	}
	if names := tools.NewRegistry(defaultTools()...).Names(); n != len(names) {
		t.Errorf("%d calls of %d tools", n, len(names))
	}
}
