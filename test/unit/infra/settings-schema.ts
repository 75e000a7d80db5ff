import { environmentNames } from '../../../infra/environments.ts'
import { type Option, operatorOptions, settingNames } from '../../../infra/operator-options.ts'

/** The JSON schema of infra/settings.json, as the table of options has it. */
export const settingsSchema = () => ({
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'The options that each deployment has, as infra/README.md explains them',
  type: 'object',
  properties: {
    $schema: { type: 'string' },
    ...Object.fromEntries(environmentNames.map((name) => [name, { $ref: '#/$defs/options' }])),
  },
  additionalProperties: false,
  $defs: {
    options: {
      type: 'object',
      properties: Object.fromEntries(settingNames.map((name) => [name, schemaOf(operatorOptions[name])])),
      additionalProperties: false,
    },
  },
})

const schemaOf = ({ expects, values, accepts }: Option) => ({
  description: expects,
  ...(values === undefined ? { type: accepts instanceof RegExp ? ['string', 'integer'] : 'string' } : { enum: values }),
  ...(accepts instanceof RegExp && { pattern: accepts.source }),
})
