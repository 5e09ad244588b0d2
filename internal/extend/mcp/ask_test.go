package mcp_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"agent/internal/extend/mcp"
)

const form = `{"type":"object","required":["env"],"properties":{
	"env":{"type":"string","enum":["dev","prod"],"enumNames":["Development","Production"]},
	"count":{"type":"integer","default":3,"description":"how many"},
	"tags":{"type":"array","items":{"type":"string","enum":["a","b"]}}}}`

// Questions of both protocol versions reach the user with all fields. The server receives the
// answer with its defaults.
func TestQuestions(t *testing.T) {
	t.Parallel()
	for _, quirk := range []string{"", "modern"} {
		var asked mcp.Question
		answer := mcp.Answer{Action: mcp.Accept, Values: map[string]any{"env": "prod"}}
		client := connect(t, mcp.Host{Ask: func(_ context.Context, q mcp.Question) (mcp.Answer, error) {
			asked = q
			return answer, nil
		}}, quirk)
		got := call(t, client, "ask", `{"form":`+form+`}`)
		if want := `{"action":"accept","content":{"count":3,"env":"prod"}}`; got != want {
			t.Errorf("%q: the server gets %s, want %s", quirk, got, want)
		}
		want := mcp.Question{Server: "db", Message: "Which?", Fields: []mcp.Field{
			{Name: "env", Type: "string", Required: true, Options: []mcp.Option{{Value: "dev", Title: "Development"}, {Value: "prod", Title: "Production"}}},
			{Name: "count", Type: "integer", Description: "how many", Default: []byte("3")},
			{Name: "tags", Type: "list", Options: []mcp.Option{{Value: "a", Title: "a"}, {Value: "b", Title: "b"}}},
		}}
		wanted, _ := json.Marshal(want)
		if shown, _ := json.Marshal(asked); string(shown) != string(wanted) {
			t.Errorf("%q: asked is\n%s, want\n%s", quirk, shown, wanted)
		}
		asked = mcp.Question{}
		answer = mcp.Answer{Action: mcp.Decline}
		if got = call(t, client, "ask", `{"url":"https://example.com/auth"}`); got != `{"action":"decline"}` || asked.URL != "https://example.com/auth" {
			t.Errorf("%q: the server gets %s for the address %q", quirk, got, asked.URL)
		}
	}
}

// Some questions are declined without asking the user: questions for secrets, addresses outside the
// web, and forms of unknown kinds. Without a user, every question is declined.
func TestQuestionsThatAreDeclined(t *testing.T) {
	t.Parallel()
	never := mcp.Host{Ask: func(context.Context, mcp.Question) (mcp.Answer, error) {
		t.Error("the person was asked")
		return mcp.Answer{}, nil
	}}
	client := connect(t, never, "modern") // in the old protocol, the SDK itself refuses some
	for _, arguments := range []string{
		`{"form":{"type":"object","properties":{"api_key":{"type":"string"}}}}`,
		`{"form":{"type":"object","properties":{"x":{"type":"string","title":"Your Password"}}}}`,
		`{"form":{"type":"object","properties":{"x":{"type":"string","format":"password"}}}}`,
		`{"form":{"type":"object","properties":{"x":{"type":"object"}}}}`,
		`{"url":"file:///etc/passwd"}`, `{"url":"javascript:alert(1)"}`,
	} {
		if got := call(t, client, "ask", arguments); got != `{"action":"decline"}` {
			t.Errorf("%s is answered with %s", arguments, got)
		}
	}
	if !strings.Contains(client.Log(), `the field "api_key" asks for a secret`) {
		t.Errorf("the log is %s", client.Log())
	}
	if got := call(t, connect(t, mcp.Host{}), "ask", `{"form":`+form+`}`); got != `{"action":"decline"}` {
		t.Errorf("headless the answer is %s", got)
	}
}

// A form with null in place of a schema does not crash the program.
func TestFormsWithNulls(t *testing.T) {
	t.Parallel()
	for _, quirk := range []string{"", "modern"} {
		client := connect(t, mcp.Host{Ask: func(context.Context, mcp.Question) (mcp.Answer, error) { return mcp.Answer{Action: mcp.Accept}, nil }}, quirk)
		for _, property := range []string{
			`null`, `{"type":"array","items":{"anyOf":[null]}}`, `{"type":"string","oneOf":[null]}`, `{"type":"string","enum":["x"],"anyOf":[null]}`,
		} {
			got := call(t, client, "ask", `{"form":{"type":"object","properties":{"x":`+property+`}}}`)
			if got != `{"action":"decline"}` && !strings.HasPrefix(got, "refused: ") {
				t.Errorf("%q: %s is answered with %s", quirk, property, got)
			}
		}
	}
}

// A server asks at most five times during a call.
func TestQuestionsWithoutEnd(t *testing.T) {
	t.Parallel()
	for _, quirk := range []string{"", "modern"} {
		times := 0
		client := connect(t, mcp.Host{Ask: func(context.Context, mcp.Question) (mcp.Answer, error) {
			times++
			return mcp.Answer{Action: mcp.Accept}, nil
		}}, quirk)
		if got := call(t, client, "ask", `{"n":5}`); got != `{"action":"accept"}` || times != 5 {
			t.Errorf("%q: the fifth answer is %s after %d questions", quirk, got, times)
		}
		times = 0
		_, err := client.Call(context.Background(), "ask", json.RawMessage(`{"n":100}`), nil)
		if times != 5 {
			t.Errorf("%q: the person was asked %d times, %v", quirk, times, err)
		}
	}
}

// If the server refuses a call until the user has visited an address, the call is repeated after
// the visit. If the server does not report the visit, it is repeated after some time. After a no,
// it is not repeated.
func TestVisits(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		arguments string
		action    mcp.Action
		want      string
	}{
		{`{"url":"https://example.com/a","told":50}`, mcp.Accept, "welcome"},
		{`{"url":"https://example.com/a"}`, mcp.Accept, "welcome"},
		{`{"url":"https://example.com/a"}`, mcp.Decline, "a visit is needed (-32042)"},
		{`{"url":"file:///etc/passwd"}`, mcp.Accept, "a visit is needed (-32042)"},
	} {
		client := connect(t, mcp.Host{Ask: func(context.Context, mcp.Question) (mcp.Answer, error) {
			return mcp.Answer{Action: tt.action}, nil
		}})
		if !strings.Contains(tt.arguments, "told") {
			client.SetBounds(200*time.Millisecond, time.Minute)
		}
		if got := call(t, client, "visit", tt.arguments); got != tt.want {
			t.Errorf("%s, %s: the answer is %q, want %q", tt.arguments, tt.action, got, tt.want)
		}
	}
}

// A call that is repeated after a visit starts again. Earlier answers belonged to the refused call.
func TestVisitAfterQuestion(t *testing.T) {
	t.Parallel()
	asked := 0
	client := connect(t, mcp.Host{Ask: func(context.Context, mcp.Question) (mcp.Answer, error) {
		asked++
		return mcp.Answer{Action: mcp.Accept}, nil
	}}, "modern")
	client.SetBounds(200*time.Millisecond, time.Minute)
	if got := call(t, client, "ask", `{"url":"https://example.com/a","visit":1}`); got != `{"action":"accept"}` || asked != 3 {
		t.Errorf("%s after %d questions", got, asked)
	}
}

// A question ends together with its call.
func TestQuestionEndsWithItsCall(t *testing.T) {
	t.Parallel()
	for _, quirk := range []string{"", "modern"} {
		ctx, interrupt := context.WithCancel(context.Background())
		over := make(chan struct{})
		client := connect(t, mcp.Host{Ask: func(ctx context.Context, _ mcp.Question) (mcp.Answer, error) {
			interrupt()
			<-ctx.Done()
			close(over)
			return mcp.Answer{}, ctx.Err()
		}}, quirk)
		if _, err := client.Call(ctx, "ask", nil, nil); err == nil {
			t.Errorf("%q: there is an answer", quirk)
		}
		<-over
	}
}
