package chat

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"agent/internal/atcmd"
	"agent/internal/history"
	"agent/internal/llm"
)

var (
	errFiltered = &llm.Error{Kind: llm.BadRequest, Status: 400, Message: "400: content filter"}
	errNoImages = &llm.Error{Kind: llm.NoImages, Status: 400, Message: "400: no image input"}
)

// refuseContent is a model that refuses requests because of their content.
func refuseContent(b *bench, refuses func(*history.Content) error, turns ...answerFunc) {
	answered := 0
	b.model.next = func(int) answerFunc {
		return func(ctx context.Context, req llm.Request, yield func(llm.Chunk, error) bool) {
			for _, entry := range req.History {
				if err := refuses(entry); err != nil {
					yield(nil, err)
					return
				}
			}
			answered++
			turns[answered-1](ctx, req, yield)
		}
	}
}

func refusingWord(entry *history.Content) error {
	if strings.Contains(entry.Text(), "forbidden") || slices.ContainsFunc(entry.Blocks, func(b history.Block) bool {
		r, ok := b.(*history.ToolResponse)
		return ok && strings.Contains(r.Result.Text()+r.Error, "word word")
	}) {
		return errFiltered
	}
	return nil
}

func refusingImages(entry *history.Content) error {
	if slices.ContainsFunc(entry.Blocks, func(b history.Block) bool { _, is := b.(*history.Media); return is }) {
		return errNoImages
	}
	return nil
}

func withImages(_ context.Context, message atcmd.Message, _ RunEmbedded) (atcmd.Expansion, error) {
	blocks := []history.Block{&history.Text{Text: message.Text()}}
	if strings.Contains(message.Text(), "@p.png") {
		blocks = append(blocks, &history.Media{MimeType: "image/png", Data: "AAAA"})
	}
	return atcmd.Expansion{Blocks: blocks}, nil
}

// TestD50RefusedMessage covers D-50. If the provider refuses a message, the user gets it back, and
// the conversation continues without it.
func TestD50RefusedMessage(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, message string
		refuses       func(*history.Content) error
	}{
		{"content filter", "something forbidden", refusingWord},
		{"image", "look @p.png", refusingImages},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			b.config.Extensions.Expand = withImages
			b.renew()
			refuseContent(b, tc.refuses, say("hello"), say("fine"))
			if _, err := b.prompt("hi"); err != nil {
				t.Fatal(err)
			}
			out, err := b.prompt(tc.message)
			if err == nil || out.Stop != StopFailed {
				t.Fatalf("%+v %v", out, err)
			}
			if got := seen[MessageReturned](b); len(got) != 1 || got[0].Message.Text() != tc.message {
				t.Errorf("returned %v", got)
			}
			if reason, back, both := strings.Cut(err.Error(), "message was removed"); !both || !strings.Contains(reason, "400") || back == "" || len(seen[Notice](b)) > 0 {
				t.Errorf("told %v and %v", err, seen[Notice](b))
			}
			if out, err := b.prompt("and now?"); err != nil || out.Response != "fine" {
				t.Errorf("%+v %v", out, err)
			}
			if got := b.texts(history.Human); !slices.Equal(got, []string{"hi", "and now?"}) {
				t.Errorf("in the history: %q", got)
			}
		})
	}
}

// TestD50RefusedAfterResume checks that an unanswered message of an earlier run is returned too.
// Otherwise every later message would be refused.
func TestD50RefusedAfterResume(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	if err := b.resume([]*history.Content{history.HumanText("hi"), history.New(history.AI, &history.Text{Text: "hello"}), history.HumanText("forbidden")}, nil); err != nil {
		t.Fatal(err)
	}
	refuseContent(b, refusingWord, say("fine"))
	if _, err := b.prompt("innocent"); err == nil {
		t.Fatal("not refused")
	}
	if got := seen[MessageReturned](b); len(got) != 1 || got[0].Message.Text() != "forbidden\n\ninnocent" {
		t.Errorf("returned %v", got)
	}
	if out, err := b.prompt("innocent"); err != nil || out.Response != "fine" {
		t.Errorf("%+v %v", out, err)
	}
}

// TestD50ImagesOfThePast checks that a model without image input gets a conversation without
// images.
func TestD50ImagesOfThePast(t *testing.T) {
	t.Parallel()
	b := newBench(t, say("a cat"))
	b.config.Extensions.Expand = withImages
	b.renew()
	if _, err := b.prompt("look @p.png"); err != nil {
		t.Fatal(err)
	}
	refuseContent(b, refusingImages, say("fine"))
	if out, err := b.prompt("and now?"); err != nil || out.Response != "fine" {
		t.Fatalf("%+v %v", out, err)
	}
	if got := seen[Notice](b); len(got) != 1 || !strings.Contains(got[0].Text, "1 image omitted") {
		t.Errorf("told %v", got)
	}
	if len(seen[MessageReturned](b)) != 0 {
		t.Error("the message came back")
	}
	if text := b.config.History.RawHistory()[0].Text(); !strings.Contains(text, "image was omitted") {
		t.Errorf("the model reads %q", text)
	}
}

// TestD50RefusedResults checks that a refused result is omitted and the turn continues.
func TestD50RefusedResults(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	refuseContent(b, refusingWord, calls("read_file", `{"file_path":"a"}`), say("fine"))
	if out, err := b.prompt("go"); err != nil || out.Response != "fine" {
		t.Fatalf("%+v %v", out, err)
	}
	if got := b.responses(); len(got) != 1 || !strings.Contains(got[0].Result.Text(), "was omitted") || got[0].Error != "" {
		t.Errorf("the model reads %+v", got)
	}
	if got := seen[Notice](b); len(got) != 1 || !strings.Contains(got[0].Text, "omitted") {
		t.Errorf("told %v", got)
	}
}

// TestD50RefusalForEver checks that a refusal which no omission fixes ends after two more requests.
func TestD50RefusalForEver(t *testing.T) {
	t.Parallel()
	b := newBench(t, calls("fails", `{}`), fail(errFiltered), fail(errFiltered), say("never"))
	if out, err := b.prompt("go"); err == nil || out.Requests != 3 {
		t.Fatalf("%+v %v", out, err)
	}
	if got := b.responses(); len(got) != 1 || got[0].Error == "" {
		t.Errorf("the model reads %+v", got)
	}
}

// TestD50RefusedWithinTheReply checks that a refusal in the middle of a reply counts as a refusal.
// The partial reply is discarded.
func TestD50RefusedWithinTheReply(t *testing.T) {
	t.Parallel()
	b := newBench(t, say("hello"), fail(errFiltered, llm.Reasoning{Delta: "hm"}, llm.Text{Delta: "I was"}), say("fine"))
	b.prompts(t, "hi")
	if _, err := b.prompt("something forbidden"); !errors.Is(err, errFiltered) {
		t.Fatal(err)
	}
	if got := seen[MessageReturned](b); len(got) != 1 || len(seen[ReplyDiscarded](b)) != 1 {
		t.Errorf("returned %v, %d discarded", got, len(seen[ReplyDiscarded](b)))
	}
	b.prompts(t, "and now?")
	if got := b.texts(history.Human); !slices.Equal(got, []string{"hi", "and now?"}) {
		t.Errorf("in the history: %q", got)
	}
	if got := b.texts(history.AI); !slices.Equal(got, []string{"hello", "fine"}) {
		t.Errorf("in the history: %q", got)
	}
}

// TestD50FilteredReply checks a reply that a filter truncated. It stays while the conversation
// continues. If the next message is refused, the user gets both messages back.
func TestD50FilteredReply(t *testing.T) {
	t.Parallel()
	cut := respond(llm.Text{Delta: "I was"}, llm.Finish{Reason: "content_filter"})
	for name, tc := range map[string]struct {
		next  answerFunc
		human []string
	}{
		"goes on": {say("sorry"), []string{"hi", "forbidden", "and now?", "at last"}},
		"refused": {fail(errFiltered), []string{"hi", "at last"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, say("hello"), cut, tc.next, say("fine"))
			b.prompts(t, "hi", "forbidden")
			if _, err := b.prompt("and now?"); err != nil {
				if got := seen[MessageReturned](b); len(got) != 1 || got[0].Message.Text() != "forbidden\n\nand now?" {
					t.Errorf("returned %v", got)
				}
			}
			b.prompts(t, "at last")
			if got := b.texts(history.Human); !slices.Equal(got, tc.human) {
				t.Errorf("in the history: %q", got)
			}
		})
	}
}

// TestD50Forbidden checks an error 403. After a successful request the key is right, so the content
// is to blame. At the first request the key may be wrong.
func TestD50Forbidden(t *testing.T) {
	t.Parallel()
	forbidden := &llm.Error{Kind: llm.Auth, Status: 403, Message: "a web page"}
	b := newBench(t, fail(forbidden), say("hello"), calls("read_file", `{"file_path":"a"}`), fail(forbidden), fail(forbidden), say("fine"))
	if _, err := b.prompt("hi"); !errors.Is(err, forbidden) || len(seen[MessageReturned](b)) > 0 {
		t.Fatal(err, seen[MessageReturned](b))
	}
	b.prompts(t, "hi again")
	if _, err := b.prompt("go"); !errors.Is(err, forbidden) || len(seen[MessageReturned](b)) > 0 || strings.Contains(b.responses()[0].Result.Text(), "left out") {
		t.Errorf("results are no reason to forbid a key: %v %+v", err, b.responses())
	}
	if _, err := b.prompt("etc/passwd"); err == nil || len(seen[MessageReturned](b)) != 1 {
		t.Error(err, seen[MessageReturned](b))
	}
	b.prompts(t, "and now?")
}

// TestD50RefusedAfterResults checks that new results and a new message are both removed, because
// either may be the refused content.
func TestD50RefusedAfterResults(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	refuseContent(b, refusingWord, calls("read_file", `{"file_path":"a"}`), say("fine"))
	b.on = func(e Event) {
		if _, ended := e.(ToolEnded); ended {
			b.Interrupt()
		}
	}
	b.prompts(t, "go")
	if _, err := b.prompt("innocent"); err == nil {
		t.Fatal("not refused")
	}
	b.prompts(t, "innocent")
	if got := b.texts(history.Human); !slices.Equal(got, []string{"go", "innocent"}) {
		t.Errorf("in the history: %q", got)
	}
}

// prompts runs turns that must not fail.
func (b *bench) prompts(t *testing.T, messages ...string) {
	t.Helper()
	for _, message := range messages {
		if _, err := b.prompt(message); err != nil {
			t.Fatalf("%s: %v", message, err)
		}
	}
}

// TestD50OnlyTheRefusedMessageIsReturned checks a message whose turn ended for another reason. It is
// not blamed at first. If the next request is refused as well, it is.
func TestD50OnlyTheRefusedMessageIsReturned(t *testing.T) {
	t.Parallel()
	busy := &llm.Error{Kind: llm.Unavailable, Status: 503, Message: "busy"}
	for name, tc := range map[string]struct {
		words, returned []string
		human           []string
	}{
		"the new one": {[]string{"innocent", "forbidden", "and now?"}, []string{"forbidden"}, []string{"innocent", "and now?"}},
		"the old one": {[]string{"forbidden", "innocent", "innocent", "and now?"}, []string{"innocent", "forbidden\n\ninnocent"}, []string{"and now?"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			refuseContent(b, refusingWord, say("fine"))
			refused := b.model.next
			b.model.next = func(int) answerFunc { b.model.next = refused; return fail(busy) }
			var returned []string
			for _, word := range tc.words {
				_, _ = b.prompt(word)
			}
			for _, e := range seen[MessageReturned](b) {
				returned = append(returned, e.Message.Text())
			}
			if !slices.Equal(returned, tc.returned) {
				t.Errorf("returned %q, want %q", returned, tc.returned)
			}
			if got := b.texts(history.Human); !slices.Equal(got, tc.human) {
				t.Errorf("in the history: %q, want %q", got, tc.human)
			}
		})
	}
}

// TestD50AnInterruptedMessageIsNotToBlame checks that a message whose request was interrupted stays
// if the next message is refused.
func TestD50AnInterruptedMessageIsNotToBlame(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	ctx, cancel := context.WithCancel(t.Context())
	refuseContent(b, refusingWord, say("fine"))
	refused := b.model.next
	b.model.next = func(int) answerFunc {
		b.model.next = refused
		return func(context.Context, llm.Request, func(llm.Chunk, error) bool) { cancel() }
	}
	if out, err := b.Prompt(ctx, "innocent"); err != nil || out.Stop != StopInterrupted {
		t.Fatalf("%+v %v", out, err)
	}
	if _, err := b.prompt("forbidden"); err == nil {
		t.Fatal("not refused")
	}
	if got := seen[MessageReturned](b); len(got) != 1 || got[0].Message.Text() != "forbidden" {
		t.Errorf("returned %v", got)
	}
}
