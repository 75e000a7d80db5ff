import { cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, inject, it } from 'vitest'
import { sized } from '../../../../fixtures/size.ts'
import { temporaryFolder } from '../../local/fixtures.ts'
import { hasPython, node, python, run } from './programs.ts'

const root = fileURLToPath(new URL('../../../../../', import.meta.url))
const clients = join(root, 'infra/reference/clients')
const readme = readFileSync(join(clients, 'README.md'), 'utf8')

const languages = [
  { language: 'typescript', block: 'ts', file: 'example.ts', program: node, found: true },
  { language: 'python', block: 'python', file: 'example.py', program: python, found: hasPython() },
] as const

/** A project with a copy of the client. */
const copied = (language: string): string => {
  const project = temporaryFolder()
  cpSync(join(clients, language), project, { recursive: true })
  symlinkSync(join(root, 'node_modules'), join(project, 'node_modules'), 'junction')
  writeFileSync(join(project, 'package.json'), '{ "type": "module" }')
  return project
}

describe.each(languages)('the example in $language', ({ language, block, file, program, found }) => {
  const example = readFileSync(join(clients, language, file), 'utf8')

  it('is in the README as it is run, with the local address, a key that works there, and its command', () => {
    expect(readme).toContain(`\`\`\`${block}\n${example}\`\`\`\n`)
    expect(example).toContain('http://127.0.0.1:3000/v1')
    expect(inject('reference').demoKeys).toContain(/pet_test_\w+/.exec(example)?.[0])
    expect(example).toMatch(new RegExp(`Run it: \`\\w+ ${file}\`, with .*[\\d.]+ or later\\.`))
  })

  it.skipIf(!found)('lists pets, goes through all pages, and adds one, from a copy of the client', async () => {
    const project = copied(language)
    // As it is, but for the port of the environment.
    writeFileSync(join(project, file), example.replace('http://127.0.0.1:3000/v1', inject('reference').apiUrl))
    const shown = await run(program, [file], project)
    expect(shown.match(/\bid\W+\d+/g)).toHaveLength(3)
    expect(shown.match(/^\d+ .+$/gm)?.length).toBeGreaterThan(3)
    expect(shown.trimEnd()).toMatch(/\d{10,} Bella$/)
  })
})

it.skipIf(node === process.execPath)('CI runs the least Node.js that the example names', async () => {
  const example = readFileSync(join(clients, 'typescript/example.ts'), 'utf8')
  const [, least] = /with Node\.js ([\d.]+) or later/.exec(example) ?? []
  expect(await run(node, ['--version'])).toContain(`v${least}.`)
})

/** As strict as TypeScript gets: with the declarations of packages, and without Node's types. */
const compilerOptions = {
  ...{ target: 'ES2022', lib: ['ES2022', 'DOM', 'DOM.Iterable', 'DOM.AsyncIterable'] },
  ...{ types: [], skipLibCheck: false },
}

it.skipIf(sized(true, false))('the TypeScript client compiles as copied into the strictest project', async () => {
  const project = copied('typescript')
  const strictest = { extends: join(root, 'tsconfig.json'), compilerOptions, include: ['*.ts'], exclude: [] }
  writeFileSync(join(project, 'tsconfig.json'), JSON.stringify(strictest))
  await run(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', project])
})
