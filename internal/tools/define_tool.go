package tools

import (
	"context"
	"errors"
	"fmt"

	"agent/internal/base/arguments"
	"agent/internal/tools/decode"
)

// define completes a tool from the Go struct A of its arguments. The schema comes from the
// struct: a field's json tag names the parameter, omitempty makes it optional, its jsonschema tag
// is the description. plan is called with the decoded arguments. Arguments that do not fit are an
// error. All answers of the tool are limited (D-41).
func define[A any](t Tool, plan func(ctx context.Context, env *Env, args A) (Plan, error)) Tool {
	d := decode.ParametersOf[A]()
	t.takes = d.JSON
	if t.offers == nil { // else the schema contains fewer parameters than the tool accepts
		t.offers = d.JSON
	}
	t.Plan = func(ctx context.Context, env *Env, given arguments.Arguments) (Plan, error) {
		args, err := d.Decode(given)
		if err != nil {
			return Plan{}, fmt.Errorf("%s: %w", t.Name, err)
		}
		p, err := plan(ctx, env, args)
		if err != nil {
			return Plan{}, boundError(err, env.Limits)
		}
		apply := p.Apply
		p.Apply = func(ctx context.Context) Answer { return env.Limits.bound(apply(ctx)) }
		if answered := p.Answered; answered != nil {
			p.Answered = func(given []InquiryAnswer) Answer { return env.Limits.bound(answered(given)) }
		}
		return p, nil
	}
	return t
}

// boundError cuts an error message that is too long for an answer. A cut error no longer wraps other
// errors.
func boundError(err error, limits Limits) error {
	if len(err.Error()) <= limits.OutputBytes()/2 {
		return err
	}
	return errors.New(limits.bound(failedAnswer(err)).Error)
}

// defineRead completes a tool that only reads; run executes its calls. Arguments that name files
// have a method reads, so that a read of secret files requires approval.
func defineRead[A any](t Tool, run func(ctx context.Context, env *Env, args A) Answer) Tool {
	t.Reads, t.Parallel = true, true
	return define(t, func(_ context.Context, env *Env, args A) (Plan, error) {
		preview, own := Preview{}, *env
		if named, ok := any(args).(interface{ reads() []string }); ok {
			preview = own.previewRead(t.Name, named.reads())
		}
		return Plan{Preview: preview, Apply: func(ctx context.Context) Answer { return run(ctx, &own, args) }}, nil
	})
}
