/** The local environment is this stage of the CDK app, run elsewhere. */
export const localStage = 'staging'
