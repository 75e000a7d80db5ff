/** `npm run scan`: fails when files or standard input contain an API key. */
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { printable } from '../infra/command-line/printable.ts'
import { runCommand } from '../infra/command-line/run-command.ts'
import { commandLine, tool } from '../infra/command-line/tool.ts'
import { UserError } from '../infra/command-line/user-error.ts'
import { findKeys } from './find-keys.ts'

const description =
  'Looks for API keys, in clear, base64, hex and percent-encoding, in files, in all files below folders, or in standard input when none is named. The demo keys are public and do not count.'

const readPaths = (line: readonly string[]): readonly string[] =>
  tool('npm run --silent scan --', description)
    .argument('[paths...]', 'files and folders')
    .addHelpText('after', '\nExit codes: 0 none was found; 1 one was found, or something could not be read.')
    .parse(line, { from: 'user' }).args

interface Source {
  readonly name: string
  readonly content: string
}

function* sourcesIn(path: string): Generator<Source> {
  if (statSync(path).isFile()) {
    // Every byte is a character, so no part of a database's files is lost.
    yield { name: path, content: readFileSync(path, 'latin1') }
    return
  }
  for (const entry of readdirSync(path, { withFileTypes: true })) {
    if (entry.isFile() || entry.isDirectory()) yield* sourcesIn(join(path, entry.name))
  }
}

const readSources = async (paths: readonly string[]): Promise<Iterable<Source>> => {
  if (paths.length === 0) return [{ name: 'standard input', content: await text(process.stdin) }]
  const missing = paths.find((path) => statSync(path, { throwIfNoEntry: false }) === undefined)
  if (missing !== undefined) throw new UserError(`${missing} does not exist. Name existing files and folders.`)
  return paths.flatMap((path) => [...sourcesIn(path)])
}

/** Its prefix: the search repeats nothing of a key. */
const masked = (key: string): string => `${key.slice(0, 'pet_test_'.length)}...`

await runCommand(async () => {
  let scanned = 0
  const found: string[] = []
  for (const { name, content } of await readSources(readPaths(commandLine()))) {
    scanned += 1
    found.push(...findKeys(content).map((key) => `${printable(name)}: ${masked(key)}`))
  }
  if (found.length > 0) {
    throw new UserError(`Found API keys. Revoke them, and remove them from:\n${found.join('\n')}`)
  }
  console.log(`No API key in ${scanned === 1 ? '1 text' : `${scanned} texts`}.`)
})
