package slash_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"agent/internal/chat"
	"agent/internal/settings"
	"agent/internal/slash"
)

func TestModel(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, step := range []struct{ line, want string }{
		{"/model", "  gpt-5          400k\n  gpt-4.1-mini\n  qwen/qwen3:8b   41k"},
		{"/model GPT-5", "model gpt-5, from the next message, context 400k"},
		{"/model gpt-4.1-mini", "model gpt-4.1-mini, from the next message"},
		{"/set context-limit 1000", "context-limit = 1000 (was unset: the model's, otherwise 128000)"},
		{"/model qwen/qwen3:8b", "model qwen/qwen3:8b, from the next message; context-limit stays 1k (set by you)"},
		{"/model", "  gpt-5          400k\n  gpt-4.1-mini\n* qwen/qwen3:8b   41k"},
	} {
		if got := text(w.run(t, step.line)); got != step.want {
			t.Errorf("%s says\n%s\nwant\n%s", step.line, got, step.want)
		}
	}
	w.refused(t, "/model gpt5", `the endpoint has no model "gpt5"; did you mean gpt-5?`)
	if settings.Model.Value(w.settings) != "qwen/qwen3:8b" {
		t.Errorf("model is %q", settings.Model.Value(w.settings))
	}
	if recent, _ := w.store.RecentModels(); !slices.Equal(recent, []string{"qwen/qwen3:8b", "gpt-4.1-mini", "gpt-5"}) {
		t.Errorf("remembered %q", recent)
	}
}

// A model can be selected even if the endpoint does not list its models.
func TestModelWithoutList(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(d *slash.Deps) {
		d.Models = func(context.Context) ([]slash.Model, error) { return nil, errors.New("404 not found") }
	})
	w.refused(t, "/model", "can't list the models of the endpoint: 404 not found. To choose one by name, type /model NAME")
	if got := text(w.run(t, "/model anything")); got != "model anything, from the next message\nCan't check that the endpoint has this model: 404 not found" {
		t.Errorf("got %q", got)
	}
	if settings.Model.Value(w.settings) != "anything" {
		t.Errorf("model is %q", settings.Model.Value(w.settings))
	}
}

// Completion requests the list of models once in the background, and again after a change of the
// endpoint.
func TestModelCompletionNeverWaits(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		asked := 0
		answer := make(chan []slash.Model)
		w := newWorld(t, func(d *slash.Deps) {
			d.Models = func(ctx context.Context) ([]slash.Model, error) {
				asked++
				select {
				case models := <-answer:
					return models, nil
				case <-ctx.Done():
					return nil, ctx.Err()
				}
			}
		})
		w.Commands = slash.New(context.Background(), *w.deps)
		for range 3 {
			if values := w.values("/model "); len(values) > 0 {
				t.Errorf("proposes %q before the endpoint answered", values)
			}
		}
		answer <- []slash.Model{{ID: "far"}, {ID: "near"}}
		synctest.Wait()
		if values := w.values("/model n"); !slices.Equal(values, []string{"near"}) {
			t.Errorf("proposes %q", values)
		}
		w.run(t, "/set base-url http://other/v1")
		if values := w.values("/set model "); len(values) > 0 {
			t.Errorf("proposes %q of another endpoint", values)
		}
		synctest.Wait()
		if asked != 2 {
			t.Errorf("asked %d times, want once for each endpoint", asked)
		}
		// The second list never arrives. The request must end with its own timeout, otherwise the
		// bubble reports a blocked goroutine.
		<-time.After(time.Minute)
	})
}

// The list of models shows the known properties of each.
func TestModelsSayPriceAndEffort(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(d *slash.Deps) {
		d.Models = func(context.Context) ([]slash.Model, error) {
			return []slash.Model{
				{ID: "one", ContextLimit: 400_000, Prices: &settings.Prices{Input: 1.25, Output: 10}, Efforts: []string{"low", "high"}},
				{ID: "two", Prices: &settings.Prices{Input: 0.05, Output: 0.4}},
				{ID: "three"},
			}, nil
		}
	})
	var got []string
	for _, c := range w.run(t, "/model").Pick.Choices {
		got = append(got, c.Name+": "+c.Help)
	}
	want := []string{"one: context 400k, $1.25 in, $10.00 out, low/high", "two: $0.05 in, $0.40 out", "three: "}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	listed := "  one    400k  $1.25 in, $10.00 out, low/high\n  two          $0.05 in, $0.40 out\n  three"
	if got := text(w.run(t, "/model")); got != listed {
		t.Errorf("listed\n%s\nwant\n%s", got, listed)
	}
}

// ← and → change the reasoning level for a model in the list.
func TestModelWithEffort(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(d *slash.Deps) {
		d.Models = func(context.Context) ([]slash.Model, error) {
			return []slash.Model{{ID: "one", Efforts: []string{"low", "medium", "high"}}, {ID: "two"}, {ID: "four", Efforts: []string{"minimal", "low", "medium", "high"}}}, nil
		}
	})
	pick := w.run(t, "/model").Pick
	if pick.Turns != "effort" || pick.Choices[1].Turn != nil {
		t.Fatalf("the list %+v", pick)
	}
	if four := pick.Choices[2]; four.Turn(1).Line != "/model four high" || four.Turn(-1).Line != "/model four low" {
		t.Errorf("without an effort it is medium: → %q, ← %q", four.Turn(1).Line, four.Turn(-1).Line)
	}
	one := pick.Choices[0]
	for _, want := range []string{"/model one high", "/model one high"} {
		if one = one.Turn(1); one.Line != want || one.Help != "effort high, low/medium/high" {
			t.Errorf("→ makes %q (%s), want %q", one.Line, one.Help, want)
		}
	}
	if one = one.Turn(-1); one.Line != "/model one medium" {
		t.Errorf("← makes %q", one.Line)
	}
	if got := text(w.run(t, one.Line)); got != "model one, from the next message, effort medium" || settings.ReasoningEffort.Value(w.settings) != "medium" {
		t.Errorf("it says %q, the effort is %q", got, settings.ReasoningEffort.Value(w.settings))
	}
	w.refused(t, "/model one max", `one has no reasoning effort "max". Use one of: low, medium, high`)
	if values := w.values("/model one m"); !slices.Equal(values, []string{"medium"}) {
		t.Errorf("proposes %q", values)
	}
	again := w.run(t, "/model").Pick.Choices[0]
	if again.Help != "effort medium, low/medium/high, used before" || again.Turn(-1).Line != "/model one low" {
		t.Errorf("in use: %q, ← makes %q", again.Help, again.Turn(-1).Line)
	}
}

// If the model changes during a session, a notice reports the lost cache and the cost of reading
// the prompt again. No notice appears for an empty cache or the same model.
func TestModelChangeReportsItsCost(t *testing.T) {
	t.Parallel()
	cached := chat.ContextUsage{Prompt: 32_800, Cached: 30_000}
	for _, c := range []struct {
		name, line, want string
		usage            chat.ContextUsage
	}{
		{"another model", "/model big", "The cache of 32.8k tokens is lost; the next request sends them again, for $0.098.", cached},
		{"written only", "/model big", "The cache of 32.8k tokens is lost", chat.ContextUsage{Prompt: 32_800, Written: 1}},
		{"without prices", "/model small", "The cache of 32.8k tokens is lost; the next request sends them again.", cached},
		{"the same model", "/model used", "", cached},
		{"nothing cached", "/model big", "", chat.ContextUsage{Prompt: 32_800}},
	} {
		w := newWorld(t, func(d *slash.Deps) {
			d.Models = func(context.Context) ([]slash.Model, error) {
				return []slash.Model{{ID: "big", Prices: &settings.Prices{Input: 3, Output: 15}}, {ID: "small"}, {ID: "used"}}, nil
			}
		})
		if err := w.settings.Set(settings.LayerSession, "model", "used"); err != nil {
			t.Fatal(err)
		}
		w.session.usage = c.usage
		got := text(w.run(t, c.line))
		if strings.Contains(got, "is lost") != (c.want != "") || !strings.Contains(got, c.want) {
			t.Errorf("%s: %s, want %q", c.name, got, c.want)
		}
	}
}
