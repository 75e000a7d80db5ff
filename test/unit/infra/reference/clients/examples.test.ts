import { cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, inject, it } from 'vitest'
import { chooseBySize } from '../../../../fixtures/size.ts'
import { createTemporaryFolder } from '../../../../fixtures/temporary-folder.ts'
import { hasPython, node, python, runProgram } from './programs.ts'

const root = fileURLToPath(new URL('../../../../../', import.meta.url))
const clients = join(root, 'infra/reference/clients')
const readme = readFileSync(join(clients, 'README.md'), 'utf8')

/** A project with a copy of the client. */
const copied = (language: string): string => {
  const project = createTemporaryFolder()
  cpSync(join(clients, language), project, { recursive: true })
  symlinkSync(join(root, 'node_modules'), join(project, 'node_modules'), 'junction')
  writeFileSync(join(project, 'package.json'), '{ "type": "module" }')
  return project
}

const examples = [
  { language: 'typescript', block: 'ts', file: 'example.ts', program: node },
  ...(hasPython() ? [{ language: 'python', block: 'python', file: 'example.py', program: python }] : []),
]

it.each(examples)(
  'the $language example is in the README, and lists, goes through pages and adds from a copy',
  async ({ language, block, file, program }) => {
    const example = readFileSync(join(clients, language, file), 'utf8')
    expect(readme).toContain(`\`\`\`${block}\n${example}\`\`\`\n`)
    expect(inject('reference').demoKeys).toContain(/pet_test_\w+/.exec(example)?.[0])
    const [, least] = new RegExp(`Run it: \`\\w+ ${file}\`, with .*?([\\d.]+) or later\\.`).exec(example) ?? []
    expect(least).toMatch(/^\d/)
    // CI names the least Node.js.
    if (program === node && node !== process.execPath)
      expect(await runProgram(node, ['--version'])).toContain(`v${least}.`)
    const project = copied(language)
    // As it is, but for the port of the environment.
    const local = 'http://127.0.0.1:3000/v1'
    expect(example).toContain(local)
    writeFileSync(join(project, file), example.replace(local, inject('reference').apiUrl))
    const shown = await runProgram(program, [file], project)
    expect(shown.match(/\bid\W+\d+/g)).toHaveLength(3)
    expect(shown.match(/^\d+ .+$/gm)?.length).toBeGreaterThan(3)
    expect(shown.trimEnd()).toMatch(/\d{10,} Bella$/)
  },
)

it.skipIf(chooseBySize(true, false))(
  'the TypeScript client compiles as copied into the strictest project',
  async () => {
    const project = copied('typescript')
    const lib = ['ES2022', 'DOM', 'DOM.Iterable', 'DOM.AsyncIterable']
    // With the declarations of packages, and without Node's types.
    const compilerOptions = { target: 'ES2022', lib, types: [], skipLibCheck: false }
    const strictest = { extends: join(root, 'tsconfig.json'), compilerOptions, include: ['*.ts'], exclude: [] }
    writeFileSync(join(project, 'tsconfig.json'), JSON.stringify(strictest))
    await runProgram(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', project])
  },
)
