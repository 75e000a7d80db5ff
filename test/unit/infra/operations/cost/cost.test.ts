import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const projectFolder = fileURLToPath(new URL('../../../../../', import.meta.url))

const cost = (...words: readonly string[]) =>
  spawnSync(process.execPath, ['infra/operations/cost/cost.ts', ...words], { cwd: projectFolder, encoding: 'utf8' })

describe('npm run cost', () => {
  it('prints one JSON object for scripts', () => {
    const { status, stdout, stderr } = cost('--requests', '1e6', '--json')
    expect(stderr).toBe('')
    expect(status).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({ environment: 'production', workload: { requests: 1_000_000 } })
  })

  it('says in a sentence what is wrong, and exits with 1', () => {
    const { status, stdout, stderr } = cost('--requests', '1e6', '--mix', 'list=0.5')
    expect(status).toBe(1)
    expect(stdout).toBe('')
    expect(stderr).toMatch(/The shares must add up to 1, but add up to 0\.5\.\n$/)
  })
})
