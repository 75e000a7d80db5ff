import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { readChanges } from '../../../../../infra/commands/audit/read-changes.ts'
import { createKeysCommand } from '../../../../../infra/commands/keys/keys-command.ts'
import { stringifyExactJson } from '../../../../../shared/exact-json.ts'
import { provideInput, runCommandInProcess, runCommandWithoutOutput } from '../../../../fixtures/commands/commands.ts'
import { registerLocalEnvironment } from '../../../../fixtures/commands/registered-environment.ts'
import { createClients } from '../../../../fixtures/database/clients.ts'

/** The start of 2 November 2026. Each look at the clock takes a millisecond, so that changes have an order. */
let now = Date.UTC(2026, 10, 2)
const tick = (): number => {
  now += 1
  return now
}

beforeEach(() => {
  vi.spyOn(Date, 'now').mockImplementation(tick)
})

/** Runs `npm run keys` in this process. */
const runKeys = (...words: readonly string[]) => runCommandInProcess(createKeysCommand(), words)

describe('npm run keys', () => {
  let environment: Awaited<ReturnType<typeof registerLocalEnvironment>>
  /** A key of the plan free whose owner is Acme. */
  let apiKey: string
  let keyId: string

  /** Runs a command that succeeds. Only the id of a new key is announced. @returns the JSON object that it prints */
  const runForJson = async (...words: readonly string[]) => {
    const { output, errors, exitCode } = await runKeys(...words, ...environment.options, '--json')
    expect(errors).toMatch(/^(Issuing the API key key_\w+\.\n)?$/)
    expect(exitCode).toBe(0)
    return JSON.parse(output)
  }

  /** Reads the latest change of a key from the audit. Fails if the audit has the API key anywhere. */
  const readLastChange = async (id: string) => {
    const { client: database } = createClients(environment.engine)
    const access = { database, tables: environment.tables }
    const sinceTheBeginning = '0'
    const pages = await Array.fromAsync(readChanges(access, { target: `key#${id}` }, sinceTheBeginning))
    const changes = pages.flat()
    expect(stringifyExactJson(changes)).not.toContain(apiKey)
    return changes.at(-1)
  }

  beforeAll(async () => {
    environment = await registerLocalEnvironment()
  })

  beforeEach(async () => {
    const terms = ['--plan', 'free', '--scope', 'read-write', '--owner', 'Acme', '--contact', 'a@example.org']
    const issued = await runForJson('issue', ...terms)
    apiKey = issued.apiKey
    keyId = issued.keyId
  })

  it('keys issue makes a key with the limits of its plan', async () => {
    const issued = await runForJson('issue', '--plan', 'free', '--scope', 'read', '--owner', 'x')

    expect(issued).toMatchObject({ contact: null, scope: 'read', expiresAt: null, perMinute: 60, perDay: 1_000 })
    expect(await readLastChange(issued.keyId)).toMatchObject({
      action: 'keys issue',
      outcome: 'made',
      old: null,
      new: { owner: 'x', plan: 'free', scope: 'read', minuteLimit: 60, dayLimit: 1_000 },
    })
  })

  it('keys issue makes an enterprise key with a contact, an end and limits of its own', async () => {
    const limits = ['--per-minute', '9', '--per-day', '70000']
    const terms = ['--scope', 'read', '--contact', 'a@b', '--valid-until', '2026-12-31']

    const issued = await runForJson('issue', '--plan', 'enterprise', '--owner', 'x', ...limits, ...terms)

    expect(issued).toMatchObject({ perMinute: 9, perDay: 70_000, contact: 'a@b', expiresAt: '2026-12-31T00:00:00Z' })
  })

  it('keys rotate makes a successor with an overlap of a day, and records both keys', async () => {
    const successor = await runForJson('rotate', keyId)

    expect(successor).toMatchObject({ predecessor: keyId, predecessorEndsAt: '2026-11-03T00:00:00Z' })
    expect(await readLastChange(keyId)).toMatchObject({
      action: 'keys rotate',
      old: { successor: null, overlapEndsAt: null },
      new: { successor: successor.keyId, overlapEndsAt: Date.UTC(2026, 10, 3) / 1_000 },
    })
    expect(await readLastChange(successor.keyId)).toMatchObject({ old: null, new: { predecessor: keyId } })
  })

  it('keys set changes the terms of a key', async () => {
    const words = ['--plan', 'pro', '--contact', '', '--scope', 'read', '--valid-until', '2026-12-31']

    const changed = await runForJson('set', keyId, ...words, '--why', 'the contract')

    expect(changed).toMatchObject({ perMinute: 300, contact: null, scope: 'read', expiresAt: '2026-12-31T00:00:00Z' })
    expect(await readLastChange(keyId)).toMatchObject({
      action: 'keys set',
      why: 'the contract',
      old: { plan: 'free', contact: 'a@example.org', expiresAt: null },
      new: { plan: 'pro', contact: null, scope: 'read' },
    })
  })

  it('keys revoke --all revokes all keys if the environment is named twice', async () => {
    await runForJson('revoke', '--all', '--confirm', 'local')

    expect(await runForJson('list', '--state', 'active')).toMatchObject({ keys: [] })
    expect(await readLastChange(keyId)).toMatchObject({ action: 'keys revoke --all' })
  })

  it.each([
    { cause: 'on a full disk', code: 'ENOSPC' },
    { cause: 'without a reader', code: 'EPIPE' },
  ] as const)('keys rotate $cause prints the id of a key that nobody can see', async ({ code }) => {
    const words = ['rotate', keyId, ...environment.options]

    const { errors, exitCode } = await runCommandWithoutOutput(createKeysCommand(), words, code)

    const sentence = 'was issued, and nobody has seen it: "revoke \\1"'
    expect(errors).toMatch(new RegExp(`^Issuing the API key (key_\\w+)\\.\\n.*The API key \\1 ${sentence}\\.\\n$`))
    expect(exitCode).toBe(1)
  })

  it('keys takes a key from standard input', async () => {
    const commandLines = [
      { words: ['show', '-'], key: { keyId } },
      { words: ['set', '-', '--owner', 'Umbrella'], key: { keyId } },
      {
        words: ['rotate', '-', '--overlap-hours', '2'],
        key: { predecessor: keyId, predecessorEndsAt: '2026-11-02T02:00:00Z' },
      },
      { words: ['revoke', '-'], key: { keyId, state: 'revoked' } },
    ]
    for (const { words, key } of commandLines) {
      provideInput(`${apiKey}\n`)

      expect(await runForJson(...words)).toMatchObject(key)
    }
    expect(await readLastChange(keyId)).toMatchObject({ action: 'keys revoke', old: { state: 'active' } })
  })

  it('keys revoke says that standard input has no key', async () => {
    provideInput('\n')

    const result = await runKeys('revoke', '-', ...environment.options)

    expect(result).toMatchObject({ errors: 'Standard input has no API key, and no id of one.\n', exitCode: 2 })
  })

  it('keys prints no API key that was pasted by mistake', async () => {
    const secretPart = apiKey.slice('pet_test_'.length)
    // An API key in the place of an id, with one character too many, as a second id, a state or a subcommand.
    const commandLines = [
      ['show', apiKey],
      ['show', `${apiKey}0`],
      ['show', 'x', apiKey],
      ['list', '--state', apiKey],
      [apiKey],
    ]
    for (const words of commandLines) {
      const { output, errors } = await runKeys(...words, ...environment.options)

      expect(output + errors).not.toBe('')
      expect(output + errors).not.toContain(secretPart)
    }
  })

  it('the examples of the help of keys work', async () => {
    const help = await Promise.all(
      ['issue', 'list', 'show', 'rotate', 'set', 'revoke'].map((name) => runKeys(name, '--help')),
    )
    // Each example is a line that begins with two spaces.
    const examples = help.flatMap(({ output }) => output.match(/(?<=^ {2}npm run keys -- ).*$/gm) ?? [])
    expect(examples.length).toBeGreaterThan(10)

    for (const example of examples) {
      const { keyId: id } = await runForJson('issue', '--plan', 'pro', '--scope', 'read', '--owner', 'x')
      // A shell would remove the quotation marks around words such as "Town zoo".
      const words = example.match(/"[^"]*"|\S+/g)?.map((word) => word.replaceAll('"', '')) ?? []
      // The examples name a key by `ID` or `-`, and an environment on AWS.
      const localWords = words.map((word) => {
        if (word === 'ID' || word === '-') return String(id)
        return word === 'production' || word === 'staging' ? 'local' : word
      })

      const { errors, exitCode } = await runKeys(...localWords, '--data', environment.dataFolder)

      expect(exitCode, `${example}: ${errors}`).toBe(0)
    }
  })
})

describe('npm run keys without an environment', () => {
  /** Runs a command on a data folder that does not exist. */
  const runWithoutEnvironment = (words: readonly string[]) => runKeys('--env', 'local', '--data', '/nowhere', ...words)

  const expectMistake = (result: Awaited<ReturnType<typeof runKeys>>, sentence: string): void => {
    expect(result).toEqual({ output: '', errors: expect.stringContaining(sentence), exitCode: 2 })
    // Neither a stack trace, nor the message of an environment that does not run.
    expect(result.errors).not.toMatch(/ {4}at |npm start/)
  }

  const issue = 'issue --scope read --owner x'

  it.each([
    { line: 'issue --plan free --owner x', sentence: "required option '--scope <name>'" },
    { line: `${issue} --plan enterprise --per-minute 5`, sentence: 'give both --per-minute N and --per-day N' },
    { line: `${issue} --plan enterprise --per-minute 30001 --per-day 5`, sentence: 'from 1 to 30000' },
    { line: `${issue} --plan enterprise --per-minute 6 --per-day 5`, sentence: 'more than --per-day' },
    { line: `${issue} --plan free --per-minute 5`, sentence: 'The limits of free are fixed' },
    // The clock of these tests is at 2 November 2026.
    { line: `${issue} --plan free --valid-until 2026-11-02`, sentence: 'It must be a day after today' },
    { line: `issue --owner ${'x'.repeat(101)}`, sentence: '1 to 100 characters' },
    { line: 'issue --owner my-pet_live_0123456789', sentence: 'without an API key' },
    { line: 'issue --owner Acme\u001b[2J', sentence: 'characters that a terminal shows' },
    { line: `${issue} --plan free --why for_pet_test_0123`, sentence: 'must not contain an API key' },
    { line: 'rotate key_1 --overlap-hours 1000', sentence: '--overlap-hours' },
    { line: 'set key_1', sentence: 'Give at least one option that says what to change.' },
    { line: 'revoke', sentence: 'Name the key to revoke, or give --all' },
    { line: 'revoke key_1 --all', sentence: 'Name the key to revoke, or give --all' },
    { line: 'revoke --all --confirm staging', sentence: 'add --confirm local.' },
  ])('keys $line is a mistake that is reported before the environment is opened', async ({ line, sentence }) => {
    expectMistake(await runWithoutEnvironment(line.split(' ')), sentence)
  })

  it.each([
    { line: `${issue} --plan free` },
    { line: 'rotate key_1' },
    { line: 'set key_1 --owner x' },
    { line: 'unban key_1' },
    { line: 'revoke key_1' },
    { line: 'revoke --all' },
  ])('keys $line on production needs a confirmation', async ({ line }) => {
    const result = await runWithoutEnvironment([...line.split(' '), '--env', 'production'])

    expectMistake(result, 'If that is meant, add --confirm production.')
  })

  it('keys revoke - on production reads no key before it is confirmed', async () => {
    const input = vi.spyOn(process, 'stdin', 'get')

    const result = await runWithoutEnvironment(['revoke', '-', '--env', 'production'])

    expectMistake(result, 'If that is meant, add --confirm production.')
    expect(input).not.toHaveBeenCalled()
  })
})
