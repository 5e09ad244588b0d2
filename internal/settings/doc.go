// Package settings is what a user can change about the program: one declaration a
// setting, the layers a value can come from, and the profile files that keep a set
// of values.
//
// A setting is a variable such as MaxTurns: its declaration holds key, kind of value,
// default, help and aliases, and is what the program reads it by. It has one line in All,
// below its category. What is typed for
// /set, completion, profile files, their JSON Schema and every listing are derived
// from it. A new sort of value is a Kind.
//
// A value is resolved from the layers in the order built-in default < found <
// profile < environment < flags < session (D-39), and always knows which layer
// it comes from. Only validated, canonical values are ever stored, so that the rest of
// the program can take what it reads as correct. An API key is never a setting.
//
// Words of enums that belong to other rooms are given to the registry by these. The package
// owns the files under $XDG_CONFIG_HOME/agent; it reads no environment by itself.
package settings
