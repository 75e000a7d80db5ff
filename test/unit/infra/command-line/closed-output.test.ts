import { beforeEach, describe, expect, it } from 'vitest'
import { createClients } from '../../../fixtures/clients.ts'
import { type Colleague, createColleague } from '../../../fixtures/colleague.ts'
import { registerLocalEnvironment } from '../../../fixtures/commands.ts'
import { startNode } from '../../../fixtures/node-process.ts'

describe('a command whose output nothing reads any more', () => {
  let environment: Awaited<ReturnType<typeof registerLocalEnvironment>>
  let colleague: Colleague

  /** Starts a command whose standard output is closed, as if `head` had read enough. */
  const runWithClosedOutput = async (script: string, ...words: readonly string[]) => {
    const program = `infra/operations/${script}/${script}.ts`
    const { child, ended, errors } = startNode([program, ...words, ...environment.options])
    child.stdout.destroy()
    return { exitCode: await ended, errors: errors() }
  }

  beforeEach(async () => {
    environment = await registerLocalEnvironment()
    const { client } = createClients(environment.engine)
    colleague = createColleague(client, environment.tables.pets)
    await colleague.store({ id: 5n, name: 'Bella', categoryId: 1n, status: 'available' })
  })

  it.each([
    { script: 'keys', words: ['list'] },
    { script: 'keys', words: ['list', '--json'] },
    { script: 'keys', words: ['--help'] },
    { script: 'pets', words: ['show', '5'] },
    { script: 'pets', words: ['export'] },
  ])('npm run $script -- $words ends quietly if nothing reads its output', async ({ script, words }) => {
    expect(await runWithClosedOutput(script, ...words)).toEqual({ exitCode: 0, errors: '' })
  })

  it('npm run pets -- set succeeds if nothing reads its output, because it has changed the pet', async () => {
    const result = await runWithClosedOutput('pets', 'set', '5', '--status', 'sold')

    expect(result).toEqual({ exitCode: 0, errors: '' })
    expect(await colleague.list()).toMatchObject([{ id: 5n, status: 'sold' }])
  })

  it('a command goes on if nothing reads its messages', async () => {
    const { child, ended, output } = startNode(['infra/operations/keys/keys.ts', 'lost', ...environment.options])
    child.stderr.destroy()

    expect(await ended).toBe(2)
    expect(output()).toBe('')
  })
})
