package secret_test

import (
	"strings"
	"testing"

	"agent/internal/secret"
)

func TestWithout(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"use sk-proj-0123456789abcdefghij now":                                           "use [key] now",
		"postgres://u:hunter22@db/x":                                                     "postgres://[key]@db/x",
		"Authorization: Bearer abcdef0123456789abcdef":                                   "Authorization: Bearer [key]",
		"a eyJhbGciOiJ.eyJzdWIiOiIx.c2lnbmF0dXJl b":                                      "a [key] b",
		"x\n-----BEGIN RSA PRIVATE KEY-----\nMII\nabc\n-----END RSA PRIVATE KEY-----\ny": "x\n[key]\ny",
		"x\n-----BEGIN PRIVATE KEY-----\nMIIabc":                                         "x\n[key]",
		`DB_PASSWORD=correcthorse`:                                                       `DB_PASSWORD=[key]`,
		`"api_key": "0a1b2c3d4e5f"`:                                                      `"api_key": [key]`,
		`password: 'correct horse battery'`:                                              `password: [key]`,
		"secret: tr0ub4dor&3":                                                            "secret: [key]",
		// Code and prose keep their words.
		`"key": "number of the item"`:         `"key": "number of the item"`,
		"token := parser.next()":              "token := parser.next()",
		"password: prompted each time":        "password: prompted each time",
		"keyboard = laptopKeyboard":           "keyboard = laptopKeyboard",
		"see https://example.com/a:b and x@y": "see https://example.com/a:b and x@y",
		"API_KEY=$OPENAI_KEY":                 "API_KEY=$OPENAI_KEY",
	} {
		if got := secret.Without(text); got != want {
			t.Errorf("Without(%q) = %q, want %q", text, got, want)
		}
	}
	if long := strings.Repeat("plain words\n", 1000); secret.Without(long) != long {
		t.Error("a text without a secret has changed")
	}
}
