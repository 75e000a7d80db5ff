import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, inject, it } from 'vitest'
import { findRunningEnvironment } from '../../infra/operations/target/environment-file.ts'
import { startNode } from '../fixtures/node-process.ts'

const dataFolder = inject('dataFolder')

const folder = mkdtempSync(join(tmpdir(), 'pet-adoption-events-'))
const noJson = join(folder, 'event.json')
writeFileSync(noJson, '{x')
afterAll(() => rmSync(folder, { recursive: true }))

/** The PATH has no container engine. */
const sam = async (...words: readonly string[]) => {
  const line = ['infra/local/sam/sam.ts', '--data', dataFolder ?? '', ...words]
  const { ended, errors } = startNode(line, { environment: { ...process.env, PATH: folder } })
  return { code: await ended, errors: errors() }
}

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
