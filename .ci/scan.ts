/** `npm run scan`: fails when files, or what comes on standard input, hold an API key. */
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { parseArgs } from 'node:util'
import { printable } from '../infra/command-line/printable.ts'
import { runCommand } from '../infra/command-line/run-command.ts'
import { UsageError } from '../infra/command-line/usage-error.ts'
import { UserError } from '../infra/command-line/user-error.ts'
import { findKeys } from './find-keys.ts'

const usage = `Usage: npm run --silent scan [-- FILE or FOLDER ...]

Looks for API keys, in clear, base64, hex and percent-encoding, in the files, in all files below the folders, or in
standard input when none is named. The demo keys are public and do not count.

Exit codes: 0 there is none; 1 there is one, or something cannot be read.`

interface Source {
  readonly name: string
  readonly content: string
}

function* sourcesIn(path: string): Generator<Source> {
  if (statSync(path).isFile()) {
    // Every byte is a character, so that nothing of a database's files is lost.
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
  if (missing !== undefined) throw new UserError(`${missing} cannot be read. Name files and folders that are there.`)
  return paths.flatMap((path) => [...sourcesIn(path)])
}

const parse = (words: readonly string[]) => {
  try {
    return parseArgs({
      args: [...words],
      options: { help: { type: 'boolean', default: false } },
      allowPositionals: true,
    })
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error))
  }
}

/** Enough to find the key where it is, and too little to use it. */
const masked = (key: string): string => `${key.slice(0, 'pet_test_'.length + 4)}...`

await runCommand(usage, async () => {
  const { values, positionals } = parse(process.argv.slice(2))
  if (values.help) {
    console.log(usage)
    return
  }
  let scanned = 0
  const found: string[] = []
  for (const { name, content } of await readSources(positionals)) {
    scanned += 1
    found.push(...findKeys(content).map((key) => `${printable(name)}: ${masked(key)}`))
  }
  if (found.length > 0) {
    throw new UserError(`API keys that nobody should see. Revoke them, and keep them out:\n${found.join('\n')}`)
  }
  console.log(`No API key in ${scanned === 1 ? '1 text' : `${scanned} texts`}.`)
})
