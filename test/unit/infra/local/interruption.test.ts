import { setTimeout } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { startNode } from '../../../fixtures/machine/node-process.ts'

it('npm start ends at once at a second Ctrl-C that is no echo of the first one', async () => {
  // This process ends by itself after ten seconds.
  const program = `
    import { endAtInterruption } from './infra/local/interruption.ts'
    endAtInterruption(() => console.log('interrupted'))
    setTimeout(() => {}, 10_000)
    console.log('begun')
  `
  const { child, output, ended } = startNode(['--input-type=module', '--eval', program])
  await expect.poll(output).toContain('begun')
  child.kill('SIGINT')
  await expect.poll(output).toContain('interrupted')

  // An echo comes within half a second.
  await setTimeout(600)
  child.kill('SIGINT')

  expect(await ended).toBe(130)
})
