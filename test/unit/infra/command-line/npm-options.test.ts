import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import { describe, expect, it } from 'vitest'
import { findTakenOptions, requireAllOptions } from '../../../../infra/command-line/npm-options.ts'
import { createKeysCommand } from '../../../../infra/commands/keys/keys-command.ts'
import { createPetsCommand } from '../../../../infra/commands/pets/pets-command.ts'
import { operatorCommands } from '../../../fixtures/commands/commands.ts'
import { shouldSkipWithout } from '../../../fixtures/machine/size.ts'
import { createTemporaryFolder } from '../../../fixtures/machine/temporary-folder.ts'

/** Variables of this process without the settings of the npm that runs the tests. */
const cleanVariables = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !name.toLowerCase().startsWith('npm_')),
)

/** A folder with a script that prints its arguments and its variables. */
const folder = createTemporaryFolder()
writeFileSync(join(folder, 'package.json'), '{ "scripts": { "print": "node print.cjs" } }')
writeFileSync(
  join(folder, 'print.cjs'),
  'console.log(JSON.stringify({ words: process.argv.slice(2), variables: process.env }))',
)

/** The npm of this machine, and npm 10, which CI installs. */
const npms = [
  { title: 'npm of this machine', program: 'npm', firstWords: [] },
  { title: 'npm 10', program: process.execPath, firstWords: [process.env['NPM_10'] ?? 'no npm 10'] },
]

describe.each(npms)('$title', ({ program, firstWords }) => {
  const isThere = spawnSync(program, [...firstWords, '--version']).status === 0
  const skip = shouldSkipWithout(
    isThere,
    'What npm 10 does with options is not tested: NPM_10 does not name its npm-cli.js.',
  )

  const runNpm = (words: readonly string[], cwd: string) =>
    spawnSync(program, [...firstWords, 'run', '--silent', ...words], { cwd, env: cleanVariables, encoding: 'utf8' })

  /** Runs the script that prints, and returns what npm has passed on to it. */
  const printThroughNpm = (words: readonly string[]) => {
    const { words: passedWords, variables }: { words: readonly string[]; variables: NodeJS.ProcessEnv } = JSON.parse(
      runNpm(['print', ...words], folder).stdout,
    )
    return { passedWords, variables }
  }

  it.skipIf(skip)('is asked for a dry run before "--": pets remove is refused, with the line that is right', () => {
    const result = runNpm(['pets', 'remove', '5', '--dry-run', '--', '--env', 'local'], process.cwd())

    expect(result.stderr).toBe(
      'npm has taken --dry-run for itself. Nothing was done. Write -- before it: ' +
        'npm run pets -- remove 5 --env local --dry-run\n',
    )
    expect(result.status).toBe(2)
  })

  it.skipIf(skip).each(['separate', 'joined'])('takes no option with a %s value unnoticed', (form) => {
    const options = Object.values(operatorCommands).flatMap((createCommand) => listOptions(createCommand()))
    const optionsByName = new Map(options.map(({ option }) => [option.long, option]))
    const words = [...optionsByName.values()].flatMap((option) => formatOption(option, form === 'joined'))
    const { variables } = printThroughNpm(words)

    const unnoticed = options.filter(
      ({ command, words: subcommandWords, option }) =>
        !findTakenOptions(command, subcommandWords, variables).some((taken) => taken.option === option),
    )

    expect(unnoticed.map(({ option }) => option.long)).toEqual([])
  })

  // The four options are -p, -l, -a and -n.
  it.skipIf(skip)('reads --plan as four options of its own', () => {
    const { passedWords, variables } = printThroughNpm(['set', 'ID', '--plan', 'pro'])

    expect(() => requireAllOptions(createKeysCommand(), passedWords, variables)).toThrow(
      'npm run keys -- set ID --plan pro',
    )
  })

  it.skipIf(skip)('starts no script with --why', () => {
    expect(runNpm(['print', '--why', 'leaked'], folder)).toMatchObject({ stdout: '', status: 1 })
  })
})

/**
 * Options that `findTakenOptions` need not find. Without most of them a command changes only its output, or refuses to
 * run. With `--why` npm starts no script.
 */
const otherOptions = ['--version', '--json', '--quiet', '--all', '--plan', '--why']

/** Lists the options of a command and of its subcommands. */
const listOptions = (command: CommandUnknownOpts) => {
  const own = command.options.map((option) => ({ command, words: [] as readonly string[], option }))
  const subcommands = command.commands.flatMap((subcommand) =>
    subcommand.options.map((option) => ({ command, words: [subcommand.name()], option })),
  )
  return [...own, ...subcommands].filter(({ option }) => !otherOptions.includes(`${option.long}`))
}

const formatOption = (option: CommandUnknownOpts['options'][number], isJoined: boolean): readonly string[] => {
  if (option.isBoolean()) return [`${option.long}`]
  const value = option.argChoices?.[0] ?? 'VALUE'
  return isJoined ? [`${option.long}=${value}`] : [`${option.long}`, value]
}

it.each([
  {
    variables: { npm_config_dryrun: 'true' },
    words: ['remove', '5', '--env', 'local'],
    line: 'remove 5 --env local --dry-run',
  },
  {
    variables: { npm_config_env: 'true', npm_config_dry_run: 'true' },
    words: ['remove', '5', 'local'],
    line: 'remove 5 --env local --dry-run',
  },
  { variables: { npm_config_env: 'local' }, words: ['remove', '5'], line: 'remove 5 --env local' },
  {
    variables: { npm_config_name: 'true' },
    words: ['set', '5', 'Old Bella', '--env', 'local'],
    line: 'set 5 --env local --name "Old Bella"',
  },
  {
    variables: { npm_config_name: 'true', npm_config_category: 'true' },
    words: ['set', '5', 'Bella', '1'],
    // Nobody knows which value belongs to which option.
    line: '...',
  },
])('the line to type after $variables is "$line"', ({ variables, words, line }) => {
  expect(() => requireAllOptions(createPetsCommand(), words, variables)).toThrow(
    expect.objectContaining({
      message: expect.stringMatching(new RegExp(`: npm run pets -- ${line.replaceAll('.', '\\.')}$`)),
      exitCode: 2,
    }),
  )
})

it('on Windows, where PowerShell drops --, the line to type has it in quotation marks', () => {
  expect(() => requireAllOptions(createPetsCommand(), ['list'], { npm_config_name: 'Bella' }, 'win32')).toThrow(
    'npm run pets "--" list --name Bella',
  )
})

it.each([
  { setting: 'json', variables: { npm_config_json: 'true' } },
  { setting: 'scope', variables: { npm_config_scope: '@our-company' } },
  { setting: 'all', variables: { npm_config_all: 'true' } },
  { setting: 'loglevel', variables: { npm_config_loglevel: 'error' } },
])("a user's own $setting in .npmrc is not taken for an option", ({ variables }) => {
  expect(findTakenOptions(createKeysCommand(), ['issue'], variables)).toEqual([])
  expect(findTakenOptions(createKeysCommand(), ['revoke'], variables)).toEqual([])
})

it('an option that stands after "--" is not lost, whatever .npmrc has', () => {
  const words = ['remove', '5', '--dry-run']

  expect(findTakenOptions(createPetsCommand(), words, { npm_config_dry_run: 'true' })).toEqual([])
})
