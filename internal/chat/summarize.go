package chat

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"agent/internal/base/secret"
	"agent/internal/chat/window"
	"agent/internal/compression"
	"agent/internal/history"
	"agent/internal/llm"
	"agent/internal/settings"
)

// The limits of a summary: its time, which is shorter if a request waits at the hard limit, and the
// length of the answer with its reasoning in bytes.
const (
	summaryTime     = 10 * time.Minute
	summaryTimeHard = 2 * time.Minute
	longestAnswer   = 512 << 10
)

// uncalibrated is the usable share of the context window if the model's token count has not been
// compared with ours (D-09).
const uncalibrated = 0.8

// summarizer prepares the model that writes summaries: the model in use, or the model of
// compression.profile. It reads the state of the owner at once. The returned function does the
// remaining work, which may wait for an endpoint.
func (c *Chat) summarizer(urgency window.Urgency) window.OpenSummarizer {
	profile, room := settings.CompressionProfile.Value(c.config.Settings), c.window.Measure.Room()
	inUse := settings.BaseURL.Value(c.config.Settings)
	return func() (*compression.Summarizer, func(), error) {
		a := asking{chat: c, endpoint: c.config.Endpoint, settings: c.config.Settings, patience: summaryTime}
		if urgency.Hard {
			a.patience = summaryTimeHard
		}
		release := func() {}
		if profile != "" {
			var err error
			if release, room, err = a.connect(profile); err != nil {
				return nil, nil, fmt.Errorf("compression.profile: %w", err)
			}
		}
		var err error
		if a.provider, err = a.endpoint.Provider(); err != nil {
			release()
			return nil, nil, err
		}
		if urgency.Refused && settings.BaseURL.Value(a.settings) == inUse {
			release()
			return nil, nil, errors.New("the endpoint has just refused a request of this size")
		}
		model := settings.Model.Value(a.settings)
		return &compression.Summarizer{
			Name: model, Prompt: c.config.CompressionPrompt, Count: c.config.Counter(model).Count, Room: room, Ask: a.ask,
		}, release, nil
	}
}

// asking sends requests outside of the turn: for summaries and side questions. It does not run on the
// owner's goroutine.
type asking struct {
	chat     *Chat
	endpoint Endpoint
	provider llm.Provider
	settings *settings.Settings
	patience time.Duration
}

// connect connects to the model of a profile. room is the number of tokens available for a question by
// our own count.
func (a *asking) connect(profile string) (release func(), room int, err error) {
	if a.chat.config.OtherModel == nil {
		return nil, 0, fmt.Errorf("unknown profile %q: no profiles exist", profile)
	}
	other, err := a.chat.config.OtherModel(profile)
	if err != nil {
		return nil, 0, err
	}
	a.endpoint, a.settings = other.Endpoint, other.Settings
	known, _ := a.endpoint.ContextLimit(settings.Model.Value(a.settings))
	size := window.SizeOf(settings.ContextLimit.Value(a.settings), known)
	free := size - window.ReserveOf(settings.MaxOutputTokens.Value(a.settings), size)
	return other.Close, int(float64(free) * uncalibrated), nil
}

// ask sends one request and collects the answer, within the time a.patience.
func (a *asking) ask(ctx context.Context, system, text string) (compression.Answer, error) {
	unaffordable, err := ask(ctx, a.chat.inbox, a.chat.stats.checkCost)
	if err = cmp.Or(err, unaffordable); err != nil {
		return compression.Answer{}, err
	}
	s := a.settings
	model := settings.Model.Value(s)
	tooLong := fmt.Errorf("no summary within %s", a.patience)
	ctx, cancel := context.WithTimeoutCause(ctx, a.patience, tooLong)
	defer cancel()
	a.runOnOwner(func(c *Chat) {
		c.emit(CompressionStarted{Strategy: settings.CompressionStrategy.Value(c.config.Settings), Model: model})
	})
	var answer collected
	estimate := func() int { return a.chat.config.Counter(model).Count(system + text) }
	request := forModel(s, llm.Request{System: system, History: []*history.Content{history.HumanText(secret.RedactKeys(text))}, Cache: llm.Cache{Policy: llm.CacheOff}})
	for chunk, err := range a.provider.Stream(ctx, request) {
		if err == nil {
			err = answer.take(chunk)
		}
		if retry, ok := chunk.(llm.RetryNotice); ok {
			a.runOnOwner(func(c *Chat) {
				c.emit(Retry{Attempt: retry.Attempt, Delay: retry.Delay, Where: retry.Where, Reason: retry.Reason})
			})
		}
		if err != nil {
			a.account(answer, estimate)
			if context.Cause(ctx) == tooLong {
				err = tooLong
			}
			return compression.Answer{}, err
		}
	}
	a.account(answer, estimate)
	return compression.Answer{Text: secret.RedactKeys(answer.text.String()), PromptTokens: answer.usage.PromptTokens, CompletionTokens: answer.usage.CompletionTokens}, nil
}

// runOnOwner posts act to the owner, which serves its inbox while it waits for the request.
func (a *asking) runOnOwner(act func(*Chat)) { a.chat.inbox.post(func() { act(a.chat) }) }

// account adds the used tokens to the totals, at the price of the model. If the provider reports no
// tokens, prompt estimates the size of the request. The tokens do not affect the calibration, which
// uses only requests of the conversation (D-09).
func (a *asking) account(answer collected, prompt func() int) {
	model := settings.Model.Value(a.settings)
	a.runOnOwner(func(c *Chat) {
		c.stats.Requests++
		if answer.usage.PromptTokens > 0 {
			c.stats.count(model, answer.usage, a.settings, a.endpoint)
		} else {
			c.stats.estimate(model, llm.Usage{
				PromptTokens: prompt(), CompletionTokens: c.config.Counter(model).Count(answer.text.String()),
			}, a.settings, a.endpoint)
		}
		c.emitStatus()
	})
}

// collected contains the received part of an answer.
type collected struct {
	text  strings.Builder
	bytes int
	usage llm.Usage
}

// take adds a chunk. It returns an error if the answer is incomplete or much too long.
func (a *collected) take(chunk llm.Chunk) error {
	switch chunk := chunk.(type) {
	case llm.Text:
		a.text.WriteString(chunk.Delta)
		a.bytes += len(chunk.Delta)
	case llm.TextWasReasoning:
		a.text.Reset()
	case llm.Reasoning:
		a.bytes += len(chunk.Delta)
	case llm.Usage:
		a.usage = chunk
	case llm.RetryNotice:
		if chunk.Discard {
			*a = collected{usage: a.usage}
		}
	case llm.Finish:
		if chunk.Reason == "length" {
			return errors.New("the summary was cut at the model's output limit; raise max-output-tokens")
		}
	}
	if a.bytes > longestAnswer {
		return fmt.Errorf("the answer is longer than %d KiB", longestAnswer>>10)
	}
	return nil
}

// serveWhile runs work on another goroutine while the owner serves the inbox, and waits for its end.
func (c *Chat) serveWhile(work func()) {
	done := make(chan struct{})
	c.summarizing = true
	defer func() { c.summarizing = false }()
	go func() {
		defer close(done)
		work()
	}()
	await(c.inbox, done)
	c.inbox.serve() // deliver the events of the request before its end
}
