import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, inject, it } from 'vitest'
import { findRunningEnvironment } from '../../infra/operations/target/environment-file.ts'

const dataFolder = inject('dataFolder')

const folder = mkdtempSync(join(tmpdir(), 'pet-adoption-events-'))
const noJson = join(folder, 'event.json')
writeFileSync(noJson, '{x')
afterAll(() => rmSync(folder, { recursive: true }))

/** The PATH has no container engine. */
const sam = (...words: readonly string[]) =>
  new Promise<{ code: unknown; errors: string }>((resolve) => {
    const env = { ...process.env, PATH: folder }
    const line = ['infra/local/sam/sam.ts', '--data', dataFolder ?? '', ...words]
    execFile(process.execPath, line, { env }, (error, _output, errors) => resolve({ code: error?.code, errors }))
  })

describe.skipIf(dataFolder === null)('npm run sam', () => {
  it.each([
    ['an operation that does not exist', ['invoke', 'get-pt'], 'There is no operation get-pt. Did you mean get-pet?'],
    ['an operation that does not exist, after options', ['invoke', '--region', 'x', 'get-pt'], 'Did you mean get-pet?'],
    ['an event that is no JSON', ['invoke', 'get-pet', '-e', noJson], 'event.json is not a readable JSON file.'],
    ['a missing container engine', ['invoke', '--region', 'x', 'get-pet'], 'No container engine responds.'],
  ])('says in one line what is wrong: %s', async (_what, words, sentence) => {
    const { code, errors } = await sam(...words)
    expect(errors).toContain(sentence)
    expect([code, errors.trimEnd().split('\n').length]).toEqual([1, 1])
  })

  it('says that a port is taken', async () => {
    const port = (await findRunningEnvironment(dataFolder ?? ''))?.port
    expect((await sam('start-api', '-p', String(port))).errors).toContain(`Port ${port} is taken.`)
  })
})
