import { beforeEach, describe, expect, it } from 'vitest'
import { createKeysTool } from '../../../../../infra/operations/keys/keys-tool.ts'
import { hashApiKey } from '../../../../../shared/api-keys/api-key.ts'
import { createClients } from '../../../../fixtures/clients.ts'
import { readAudit, registerLocalEnvironment, runToolInProcess } from '../../../../fixtures/commands.ts'
import { editItem } from '../../../../fixtures/edit-item.ts'

interface Key {
  readonly apiKey: string
  readonly keyId: string
}

describe('npm run keys with an item that cannot be read', () => {
  let environment: Awaited<ReturnType<typeof registerLocalEnvironment>>
  let damaged: Key
  let other: Key

  /** Runs a command of `npm run keys` in this process. */
  const runKeys = (...words: readonly string[]) =>
    runToolInProcess(createKeysTool(), [...words, ...environment.options])

  const issueKey = async (owner: string): Promise<Key> => {
    const { output } = await runKeys('issue', '--plan', 'free', '--owner', owner, '--json')
    return JSON.parse(output)
  }

  /** Edits the item of the damaged key by hand. */
  const damage = async (change: Readonly<Record<string, unknown>>): Promise<void> => {
    const { client } = createClients(environment.engine)
    await editItem(client, environment.tables.apiKeys, { keyHash: hashApiKey(damaged.apiKey) }, change)
  }

  /** Runs a command that succeeds. @returns the JSON object that it prints */
  const runForJson = async (...words: readonly string[]) => {
    const { output, errors, exitCode } = await runKeys(...words, '--json')
    expect(errors).toBe('')
    expect(exitCode).toBe(0)
    return JSON.parse(output)
  }

  beforeEach(async () => {
    environment = await registerLocalEnvironment()
    damaged = await issueKey('Acme')
    other = await issueKey('Umbrella')
  })

  const damages = [
    { attribute: 'plan', value: 'shelter' },
    { attribute: 'idempotencyScope', value: undefined },
    { attribute: 'state', value: 'activ' },
    { attribute: 'minuteLimit', value: '60' },
    { attribute: 'dayLimit', value: 10n ** 30n },
    { attribute: 'expiresAt', value: 1e13 },
    { attribute: 'createdAt', value: [1] },
  ]

  it.each(damages)('keys list names a key whose $attribute is $value, and lists the others', async (edit) => {
    await damage({ [edit.attribute]: edit.value })

    const { output, errors, exitCode } = await runKeys('list', '--json')

    expect(errors).toBe('')
    expect(exitCode).toBe(1)
    expect(JSON.parse(output)).toMatchObject({
      keys: [{ keyId: other.keyId }],
      malformed: [{ keyId: damaged.keyId, attribute: edit.attribute }],
    })
  })

  it.each(damages)(
    'keys show and keys revoke work on other keys while the $attribute of a key is $value',
    async (edit) => {
      await damage({ [edit.attribute]: edit.value })

      expect(await runForJson('show', other.keyId)).toMatchObject({ keyId: other.keyId, owner: 'Umbrella' })
      expect(await runForJson('revoke', other.keyId)).toMatchObject({ keyId: other.keyId, state: 'revoked' })
    },
  )

  it.each(damages)('keys revoke works on a key whose $attribute is $value', async (edit) => {
    await damage({ [edit.attribute]: edit.value })

    expect(await runForJson('revoke', damaged.keyId)).toMatchObject({ keyId: damaged.keyId, state: 'revoked' })

    expect(readAudit(environment.dataFolder).at(-1)).toMatchObject({
      action: 'keys revoke',
      ids: [damaged.keyId],
      new: { state: 'revoked' },
    })
  })

  it.each(damages)('keys revoke --all revokes all keys while the $attribute of a key is $value', async (edit) => {
    await damage({ [edit.attribute]: edit.value })

    const first = await runKeys('revoke', '--all', '--yes', 'local', '--json')
    const second = await runKeys('revoke', '--all', '--yes', 'local', '--json')

    expect(JSON.parse(first.output)).toEqual({ revoked: 2 })
    expect(JSON.parse(second.output)).toEqual({ revoked: 0 })
  })

  it('keys list tells how to mend a key, in text', async () => {
    await damage({ plan: 'shelter' })

    const { output } = await runKeys('list')

    const lastLine = output.trimEnd().split('\n').at(-1)
    expect(lastLine).toBe(
      `The API key ${damaged.keyId} cannot be read: its item has no valid plan. ` +
        `"move ${damaged.keyId} --plan PLAN" sets it.`,
    )
  })

  it('keys show shows a key that cannot be read as it is stored', async () => {
    await damage({ plan: 'shelter', contact: '\u001b[2J' })

    const { output, errors, exitCode } = await runKeys('show', damaged.keyId)

    expect(errors).toBe('')
    expect(exitCode).toBe(1)
    expect(output).toMatch(/^plan +shelter$/m)
    expect(output).toMatch(/^contact +\\u\{1b\}\[2J$/m)
    expect(output).toContain('its item has no valid plan.')
    expect(output).not.toContain(hashApiKey(damaged.apiKey))
  })

  it.each(['the API key', 'the hash'])('a key without an id is revoked by %s', async (name) => {
    await damage({ keyId: undefined })
    const keyHash = hashApiKey(damaged.apiKey)
    const list = await runKeys('list', '--json')
    expect(JSON.parse(list.output)).toMatchObject({ malformed: [{ keyId: keyHash, attribute: 'keyId' }] })

    const revoked = await runForJson('revoke', name === 'the hash' ? keyHash : damaged.apiKey)

    expect(revoked).toMatchObject({ state: 'revoked' })
  })

  it('keys move mends the plan and the limits of a key', async () => {
    await damage({ plan: 'shelter', minuteLimit: '60', dayLimit: undefined, gatewayKey: 5 })

    const moved = await runForJson('move', damaged.keyId, '--plan', 'pro')

    expect(moved).toMatchObject({ plan: 'pro', perMinute: 300, perDay: 10_000 })
    expect(moved).not.toHaveProperty('malformed')
  })

  it('keys move to the plan of a key mends its API Gateway key', async () => {
    await damage({ gatewayKey: undefined, meteredFrom: 'noon' })

    const moved = await runForJson('move', damaged.keyId, '--plan', 'free')

    expect(moved).toMatchObject({ plan: 'free', meteredFrom: null })
  })

  it('keys edit mends the owner of a key', async () => {
    await damage({ owner: 5 })

    expect(await runForJson('edit', damaged.keyId, '--owner', 'Initech')).toMatchObject({ owner: 'Initech' })
  })

  it('keys edit mends the end of a key', async () => {
    await damage({ expiresAt: 'tomorrow' })

    const edited = await runForJson('edit', damaged.keyId, '--expires', 'never')

    expect(edited).toMatchObject({ keyId: damaged.keyId, expiresAt: null })
  })

  it('keys edit mends the end of an overlap', async () => {
    await damage({ overlapEndsAt: 'tomorrow' })

    const edited = await runForJson('edit', damaged.keyId, '--overlap-hours', '1')

    expect(edited).toMatchObject({ keyId: damaged.keyId, overlapEndsAt: expect.any(String) })
  })

  it('keys unban mends the ban of a key', async () => {
    await damage({ bannedUntil: 'tomorrow', banCount: undefined })

    expect(await runForJson('unban', damaged.keyId)).toMatchObject({ bannedUntil: null })
  })

  it('keys rotate works on a key whose counts cannot be read', async () => {
    await damage({ minuteCount: 'many', dayCount: undefined })

    expect(await runForJson('rotate', damaged.keyId)).toMatchObject({ owner: 'Acme', predecessor: damaged.keyId })
  })

  it.each([
    { words: ['rotate'], attribute: 'plan', remedy: '"move ID --plan PLAN" sets it.' },
    { words: ['move', '--plan', 'pro'], attribute: 'expiresAt', remedy: '"edit ID --expires DAY" sets it.' },
    { words: ['rotate'], attribute: 'scope', remedy: '"edit ID --scope SCOPE" sets it.' },
    { words: ['unban'], attribute: 'overlapEndsAt', remedy: '"edit ID --overlap-hours HOURS" sets it.' },
    { words: ['edit', '--owner', 'x'], attribute: 'state', remedy: 'issue another key, and "revoke ID".' },
    { words: ['mend'], attribute: 'owner', remedy: '"edit ID --owner NAME" sets it.' },
  ])('keys $words names the malformed $attribute that it needs, and changes nothing', async (command) => {
    await damage({ [command.attribute]: ['wrong'] })
    const before = await runKeys('show', damaged.keyId)

    const { output, errors, exitCode } = await runKeys(...command.words, damaged.keyId)

    expect({ output, exitCode }).toEqual({ output: '', exitCode: 1 })
    expect(errors).toContain(`its item has no valid ${command.attribute}.`)
    expect(errors).toContain(command.remedy.replace('ID', damaged.keyId))
    expect(await runKeys('show', damaged.keyId)).toEqual(before)
  })

  it('keys mend writes counts, links and the API Gateway key of a key anew', async () => {
    const before = await runForJson('show', damaged.keyId)
    await damage({
      idempotencyScope: undefined,
      createdAt: 'today',
      predecessor: 5,
      successor: [],
      minuteWindow: undefined,
      minuteCount: '7',
      dayWindow: -1,
      dayCount: 0.5,
      refusalCount: null,
      banCount: true,
      bannedUntil: 10n ** 20n,
      meteredFrom: 'noon',
    })

    const mended = await runForJson('mend', damaged.keyId)

    expect(mended).toEqual(before)
    expect(readAudit(environment.dataFolder).at(-1)).toMatchObject({
      action: 'keys mend',
      ids: [damaged.keyId],
      old: { minuteCount: '7', dayCount: 0.5 },
      new: { minuteCount: 0, dayCount: 0, idempotencyScope: damaged.keyId },
    })
  })

  it('keys mend keeps the counts that can be read', async () => {
    await damage({ minuteWindow: 7, minuteCount: 8, dayWindow: 9, dayCount: 'many' })

    await runForJson('mend', damaged.keyId)

    expect(readAudit(environment.dataFolder).at(-1)).toMatchObject({ new: { dayCount: 0 } })
    expect(readAudit(environment.dataFolder).at(-1).new).not.toHaveProperty('minuteCount')
  })

  it('keys mend leaves the terms of the owner, and tells which command sets them', async () => {
    await damage({ plan: 'shelter', dayCount: 'many' })

    const { output, exitCode } = await runKeys('mend', damaged.keyId)

    expect(exitCode).toBe(1)
    expect(output).toContain(`"move ${damaged.keyId} --plan PLAN" sets it.`)
  })

  it('keys mend fails for a key that can be read', async () => {
    const { errors, exitCode } = await runKeys('mend', other.keyId)

    expect(errors).toBe(`The API key ${other.keyId} can be read: there is nothing to mend.\n`)
    expect(exitCode).toBe(3)
  })
})
