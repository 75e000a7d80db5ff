import { UserError } from '../command-line/user-error.ts'
import type { Contract } from './contract.ts'

/** The catalogue of errors. Each error is a constant of its own, so that a bundle has only those that it names. */
export const errorsModule = ({ document: { components } }: Contract): string => {
  const codes = components.schemas['ErrorCode']?.enum ?? []
  const errors = codes.map((code) => {
    const { value } = components.examples[code] ?? {}
    if (value?.code !== code) throw new UserError(`Add an example of ${code} to shared/contract/openapi.yaml.`)
    const { status, message } = value
    return `export const ${code} = ${JSON.stringify({ status, message })} as const`
  })
  return `import type { components } from './types.ts'

export type ErrorCode = components['schemas']['ErrorCode']

${errors.join('\n')}

/** Every error that a caller can receive, with its message where there is no more exact one. */
export const catalogue = {
  ${codes.join(',\n  ')},
} as const satisfies Record<ErrorCode, { readonly status: number; readonly message: string }>
`
}
