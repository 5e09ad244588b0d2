package chat

import (
	"context"
	"slices"
	"strings"
	"testing"

	"agent/internal/atcmd"
	"agent/internal/history"
	"agent/internal/llm"
)

var (
	errFiltered = &llm.Error{Kind: llm.BadRequest, Status: 400, Message: "content filter"}
	errNoImages = &llm.Error{Kind: llm.NoImages, Status: 400, Message: "no image input"}
)

// choosy is a model that refuses requests for what is in them.
func choosy(b *bench, refuses func(*history.Content) error, turns ...answerFunc) {
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

func withImages(_ context.Context, message atcmd.Message) (atcmd.Expansion, error) {
	blocks := []history.Block{&history.Text{Text: message.Text()}}
	if strings.Contains(message.Text(), "@p.png") {
		blocks = append(blocks, &history.Media{MimeType: "image/png", Data: "AAAA"})
	}
	return atcmd.Expansion{Blocks: blocks}, nil
}

// TestD50RefusedMessage covers D-50: a message that the provider refuses comes back to its
// writer, and the conversation goes on without it.
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
			b.Expand = withImages
			choosy(b, tc.refuses, say("hello"), say("fine"))
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
			if got := seen[Notice](b); len(got) != 1 || !strings.Contains(got[0].Text, "taken back") {
				t.Errorf("told %v", got)
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

// TestD50RefusedAfterResume: what an earlier run left unanswered is taken back too,
// or every message to come would be refused.
func TestD50RefusedAfterResume(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	if err := b.resume([]*history.Content{history.HumanText("hi"), history.New(history.AI, &history.Text{Text: "hello"}), history.HumanText("forbidden")}, nil); err != nil {
		t.Fatal(err)
	}
	choosy(b, refusingWord, say("fine"))
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

// TestD50ImagesOfThePast: a model that takes no images gets a conversation without
// them.
func TestD50ImagesOfThePast(t *testing.T) {
	t.Parallel()
	b := newBench(t, say("a cat"))
	b.Expand = withImages
	if _, err := b.prompt("look @p.png"); err != nil {
		t.Fatal(err)
	}
	choosy(b, refusingImages, say("fine"))
	if out, err := b.prompt("and now?"); err != nil || out.Response != "fine" {
		t.Fatalf("%+v %v", out, err)
	}
	if got := seen[Notice](b); len(got) != 1 || !strings.Contains(got[0].Text, "1 image left out") {
		t.Errorf("told %v", got)
	}
	if len(seen[MessageReturned](b)) != 0 {
		t.Error("the message came back")
	}
	if text := b.History.RawHistory()[0].Text(); !strings.Contains(text, "image was left out") {
		t.Errorf("the model reads %q", text)
	}
}

// TestD50RefusedResults: a result that the provider refuses is left out, and the
// turn goes on.
func TestD50RefusedResults(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	choosy(b, refusingWord, calls("read_file", `{"file_path":"a"}`), say("fine"))
	if out, err := b.prompt("go"); err != nil || out.Response != "fine" {
		t.Fatalf("%+v %v", out, err)
	}
	if got := b.responses(); len(got) != 1 || !strings.Contains(got[0].Result.Text(), "left out") || got[0].Error != "" {
		t.Errorf("the model reads %+v", got)
	}
	if got := seen[Notice](b); len(got) != 1 || !strings.Contains(got[0].Text, "left out") {
		t.Errorf("told %v", got)
	}
}

// TestD50RefusalForEver ends: what no leaving out helps against fails after two
// requests.
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
