import { cpSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, it } from 'vitest'
import { demoKeys } from '../../../../../infra/local/samples/demo-keys.ts'
import { temporaryFolder } from '../../local/fixtures.ts'
import { localApi } from '../../local/local-api.ts'
import { beginningOf, exactExample, examples, readme, snippetsOf } from './examples.ts'
import { hasPython, isFound, node, python, run } from './programs.ts'

const root = fileURLToPath(new URL('../../../../../', import.meta.url))
const api = localApi()
const folder = temporaryFolder()
const localKeys = demoKeys('pet_test_').map(({ apiKey }) => apiKey)

const languages = [
  { language: 'typescript', block: 'ts', file: 'example.ts', program: node, found: true },
  { language: 'python', block: 'python', file: 'example.py', program: python, found: hasPython() },
  {
    language: 'curl',
    block: 'sh',
    file: 'example.sh',
    program: 'bash',
    found: isFound('bash', '-c', 'curl --version'),
  },
] as const

/** More than a page of them. */
const added = Array.from({ length: 120 }, (_, index) => `Pet ${index}`)

beforeAll(async () => {
  const { baseUrl, apiKey } = api()
  const headers = { Authorization: `Bearer ${apiKey}`, 'Content-Type': 'application/json' }
  const add = (name: string) =>
    fetch(`${baseUrl}/pets`, { method: 'POST', headers, body: JSON.stringify({ name, categoryId: 1 }) })
  await Promise.all(added.map(add))
})

describe.each(languages)('the example in $language', ({ language, block, file, program, found }) => {
  const snippets = snippetsOf(examples[language])
  const [first = '', all = '', creation = ''] = snippets.values()
  const project = join(folder, language)

  beforeAll(() => {
    cpSync(join(root, 'infra/reference/clients', language), project, { recursive: true })
    mkdirSync(join(project, 'node_modules'))
    symlinkSync(join(root, 'node_modules/openapi-fetch'), join(project, 'node_modules/openapi-fetch'), 'junction')
    writeFileSync(join(project, 'package.json'), '{ "type": "module" }')
  })

  /** Runs a snippet as it is, but for the port of the environment. */
  const output = (snippet: string): Promise<string> => {
    writeFileSync(join(project, file), snippet.replace('http://127.0.0.1:3000/v1', api().baseUrl))
    return run(program, [file], { folder: project })
  }

  it('shows the same as the others', () => {
    expect([...snippets.keys()]).toEqual([...snippetsOf(examples.typescript).keys()])
    expect(snippets.size).toBe(3)
  })

  it('is in the README as it is run', () => {
    expect(readme).toContain(`\`\`\`${block}\n${examples[language]}\`\`\`\n`)
  })

  it.each([...snippets])('names the local address and a key that works there: %s', (_title, snippet) => {
    expect(snippet).toContain('http://127.0.0.1:3000/v1')
    expect(localKeys).toContain(/pet_test_\w+/.exec(snippet)?.[0])
  })

  it.skipIf(!found)('makes a first request', async () => {
    expect((await output(first)).match(/\bid\W+\d+/g)).toHaveLength(3)
  })

  it.skipIf(!found)('goes through all pets that are available, over several pages', async () => {
    const shown = await output(all)
    for (const name of added) expect(shown).toContain(name)
  })

  it('says its command and the least version, which is the one that CI runs', async () => {
    const [, command, minimum = ''] = /Run it: `(.*)`, with [^\d]*([\d.]+) or later\./.exec(examples[language]) ?? []
    expect(command).toBe(`${command?.split(' ')[0]} ${file}`)
    const isNamed = process.env[`${language === 'typescript' ? 'NODE' : 'PYTHON'}_FOR_EXAMPLES`] !== undefined
    if (isNamed && language !== 'curl') expect(await run(program, ['--version'], { folder })).toContain(`${minimum}.`)
  })

  it.skipIf(!found || language === 'curl')('keeps an int64 exact', async () => {
    const exact = exactExample(block)
    expect(await output(beginningOf(examples[language]) + exact)).toContain('9223372036854775807')
  })

  it.skipIf(!found)('adds a pet', async () => {
    expect(await output(creation)).toMatch(/\d{10,}\b.*\bBella\b/)
  })
})
