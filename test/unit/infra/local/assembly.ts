import { App } from 'aws-cdk-lib'
import { createStage } from '../synthesized.ts'

const { root } = createStage('staging').node
if (!(root instanceof App)) throw new Error('A stage stands in an app.')

/** The folder of the cloud assembly of staging, without its bundles. */
export const assembly = root.synth().directory
