import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, inject, it } from 'vitest'
import { demoKeys } from '../../../../../infra/local/demo-keys.ts'
import { temporaryFolder } from '../../local/fixtures.ts'
import { hasPython, node, python, run } from './programs.ts'

const root = fileURLToPath(new URL('../../../../../', import.meta.url))
const clients = join(root, 'infra/reference/clients')
const readme = readFileSync(join(clients, 'README.md'), 'utf8')
const folder = temporaryFolder()
const localKeys = demoKeys('pet_test_').map(({ apiKey }) => apiKey)

const languages = [
  { language: 'typescript', block: 'ts', file: 'example.ts', program: node, found: true },
  { language: 'python', block: 'python', file: 'example.py', program: python, found: hasPython() },
] as const

describe.each(languages)('the example in $language', ({ language, block, file, program, found }) => {
  const example = readFileSync(join(clients, language, file), 'utf8')
  const project = join(folder, language)

  it('is in the README as it is run, with the local address and a key that works there', () => {
    expect(readme).toContain(`\`\`\`${block}\n${example}\`\`\`\n`)
    expect(example).toContain('http://127.0.0.1:3000/v1')
    expect(localKeys).toContain(/pet_test_\w+/.exec(example)?.[0])
  })

  it.skipIf(!found)('lists pets, goes through all pages, and adds one, from a copy of the client', async () => {
    cpSync(join(clients, language), project, { recursive: true })
    mkdirSync(join(project, 'node_modules'))
    symlinkSync(join(root, 'node_modules/openapi-fetch'), join(project, 'node_modules/openapi-fetch'), 'junction')
    writeFileSync(join(project, 'package.json'), '{ "type": "module" }')
    // As it is, but for the port of the environment.
    writeFileSync(join(project, file), example.replace('http://127.0.0.1:3000/v1', inject('apiUrl')))
    const shown = await run(program, [file], { folder: project })
    expect(shown.match(/\bid\W+\d+/g)).toHaveLength(3)
    expect(shown.match(/^\d+ .+$/gm)?.length).toBeGreaterThan(3)
    expect(shown.trimEnd()).toMatch(/\d{10,} Bella$/)
  })

  it('says its command and the least version, which is the one that CI runs', async () => {
    const [, command, minimum = ''] = /Run it: `(.*)`, with [^\d]*([\d.]+) or later\./.exec(example) ?? []
    expect(command).toBe(`${command?.split(' ')[0]} ${file}`)
    // CI takes Python 3.9 where the machine has it.
    const isNamed = language === 'typescript' && process.env['NODE_FOR_EXAMPLES'] !== undefined
    if (isNamed) expect(await run(program, ['--version'], { folder })).toContain(`${minimum}.`)
  })
})
