"""Completion scripts for bash, zsh and fish, made from the parser itself."""

from __future__ import annotations

import argparse

from .parser import COMMANDS, make_parser

_BASH = """\
_spacar() {{
    local current="${{COMP_WORDS[COMP_CWORD]}}" command="${{COMP_WORDS[1]}}" words=""
    if [ "$COMP_CWORD" -eq 1 ]; then
        words="{commands}"
    else
        case "$command" in
{cases}
        esac
    fi
    COMPREPLY=($(compgen -W "$words" -- "$current"))
    if [ "$COMP_CWORD" -gt 1 ] && [ "${{current#-}}" = "$current" ]; then
        COMPREPLY+=($(compgen -f -- "$current"))
    fi
}}
complete -o filenames -F _spacar spacar"""


def _options() -> dict[str, tuple[list[str], list[str]]]:
    """Options and fixed words of every command."""
    from .. import cases

    parser = make_parser()
    subs = next(a for a in parser._actions if isinstance(a, argparse._SubParsersAction)).choices
    out = {}
    for name, sub in subs.items():
        flags = [o for a in sub._actions for o in a.option_strings]
        words = [str(c) for a in sub._actions if a.choices for c in a.choices]
        if any(a.dest in ("model", "source", "name") for a in sub._actions):
            words += cases.names()
        out[name] = flags, words
    return out


def script(shell: str) -> str:
    """The script; load it with `eval "$(spacar completion bash)"`, in fish with `spacar completion fish | source`."""
    options = _options()
    if shell == "fish":
        lines = ["complete -c spacar -n __fish_use_subcommand -f"]
        for name, (_, line) in COMMANDS.items():
            lines.append(f"complete -c spacar -n __fish_use_subcommand -a {name} -d '{line}'")
            flags, words = options[name]
            on = f"complete -c spacar -n '__fish_seen_subcommand_from {name}'"
            lines += [f"{on} {'-l ' + f[2:] if f.startswith('--') else '-s ' + f[1:]}" for f in flags]
            if words:
                lines.append(f"{on} -a '{' '.join(words)}'")
        return "\n".join(lines)
    cases = "\n".join(f'            {n}) words="{" ".join([*f, *w])}" ;;' for n, (f, w) in options.items())
    text = _BASH.format(commands=" ".join(COMMANDS), cases=cases)
    return text if shell == "bash" else "autoload -U +X bashcompinit && bashcompinit\n" + text
